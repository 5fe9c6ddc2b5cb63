import { pageEvents, type PageEvent } from '../page-events.ts'

/** Where a page says that somebody turned to it; `restored` where the browser kept it while other pages were shown. */
export type VisibilityEvents = (hear: (event: PageEvent | 'restored') => void) => () => void

/** The events of the page we are in, and `wake` also when somebody turns to it from another window. */
export const pageVisibility: VisibilityEvents = (hear) => {
  const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>
  const wake = (event: Event): void => hear((event as PageTransitionEvent).persisted ? 'restored' : 'wake')
  const stop = pageEvents(hear)
  // Not captured: that would be the focus of every field, too.
  addEventListener?.('focus', wake)
  addEventListener?.('pageshow', wake)
  return () => {
    stop()
    removeEventListener?.('focus', wake)
    removeEventListener?.('pageshow', wake)
  }
}
