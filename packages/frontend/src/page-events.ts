/** What a page tells its sockets: they should look whether their connection still lives, or need not try. */
export type PageEvent = 'wake' | 'offline'

/** Where such news come from; returns the way to stop. */
export type PageEvents = (hear: (event: PageEvent) => void) => () => void

const PAGE_EVENTS = ['online', 'offline', 'visibilitychange', 'pageshow', 'resume']

/** The events of the page we are in; none where there is no page. */
export const pageEvents: PageEvents = (hear) => {
  const { addEventListener, removeEventListener, document } = globalThis as Partial<typeof globalThis>
  const listen = ({ type }: Event): void => {
    if (type === 'offline') hear(type)
    else if (!document?.hidden) hear('wake')
  }
  // Captured, as not all events of the document bubble up to the window.
  for (const name of PAGE_EVENTS) addEventListener?.(name, listen, true)
  return () => {
    for (const name of PAGE_EVENTS) removeEventListener?.(name, listen, true)
  }
}
