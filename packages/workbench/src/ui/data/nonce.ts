/**
 * Returns the nonce that proves that a call comes from this page; see `guard.ts`. It must never be stored, since the
 * app's scripts can read all storage of this origin.
 */
function readNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="workbench-nonce"]')?.content ?? ''
}

/** Returns the URL of the event stream. It contains the nonce, since an `EventSource` cannot send custom headers. */
export function eventsUrl(): string {
  return `/_workbench/api/events?nonce=${encodeURIComponent(readNonce())}`
}

/** A `fetch` function for the workbench API. */
export const fetchWorkbench: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('x-sdk-workbench', readNonce())
  return fetch(input, { ...init, headers })
}
