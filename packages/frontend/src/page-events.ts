/** An event of the page: `wake` when it is visible, online or resumed, so that sockets probe their connection; or `offline`. */
export type PageEvent = 'wake' | 'offline'

/** Adds a listener for page events; returns a function that removes it. */
export type PageEvents = (listener: (event: PageEvent) => void) => () => void

const PAGE_EVENTS = ['online', 'offline', 'visibilitychange', 'pageshow', 'resume']

/** The events of the current page; none if there is no page. */
export const pageEvents: PageEvents = (listener) => {
  const { addEventListener, removeEventListener, document } = globalThis as Partial<typeof globalThis>
  const onEvent = ({ type }: Event): void => {
    if (type === 'offline') listener(type)
    else if (!document?.hidden) listener('wake')
  }
  // Uses capture, since not all document events bubble up to the window.
  for (const name of PAGE_EVENTS) addEventListener?.(name, onEvent, true)
  return () => {
    for (const name of PAGE_EVENTS) removeEventListener?.(name, onEvent, true)
  }
}
