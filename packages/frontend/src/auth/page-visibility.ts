import { pageEvents, type PageEvent } from '../page-events.ts'

/** A source of page events, including `restored` when the page returns from the back/forward cache. */
export type VisibilityEvents = (listener: (event: PageEvent | 'restored') => void) => () => void

/** The events of the current page. `wake` also occurs when the window gains focus. */
export const pageVisibility: VisibilityEvents = (listener) => {
  const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>
  const onEvent = (event: Event): void => listener((event as PageTransitionEvent).persisted ? 'restored' : 'wake')
  const stop = pageEvents(listener)
  // Does not use capture, which would include the focus events of every field.
  addEventListener?.('focus', onEvent)
  addEventListener?.('pageshow', onEvent)
  return () => {
    stop()
    removeEventListener?.('focus', onEvent)
    removeEventListener?.('pageshow', onEvent)
  }
}
