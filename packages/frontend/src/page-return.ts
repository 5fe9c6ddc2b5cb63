import { pageEvents, type PageEvents } from './page-events.ts'

/** The events of the page we are in, and `wake` also when somebody turns to it from another window. */
export const pageReturn: PageEvents = (hear) => {
  const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>
  const wake = (): void => hear('wake')
  const stop = pageEvents(hear)
  // Not while it is captured: then it would be the focus of every field, too.
  addEventListener?.('focus', wake)
  return () => {
    stop()
    removeEventListener?.('focus', wake)
  }
}
