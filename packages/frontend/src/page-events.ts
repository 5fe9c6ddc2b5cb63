/**
 * A page event: `offline`, or `wake` when the page becomes visible or resumes, or the browser goes online. On `wake`,
 * sockets probe the server.
 */
export type PageEvent = 'wake' | 'offline'

/** A function that adds a listener for page events and returns a function that removes it. */
export type PageEvents = (listener: (event: PageEvent) => void) => () => void

const PAGE_EVENTS = ['online', 'offline', 'visibilitychange', 'pageshow', 'resume']

/** The events of the current page. Without a page, there are no events. */
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
