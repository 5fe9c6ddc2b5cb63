/**
 * Returns the proof that a call comes from this page: see `guard.ts`. Never store it, since scripts of the app can read
 * every storage of this origin.
 */
function readNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="workbench-nonce"]')?.content ?? ''
}

/** Returns the URL of the event stream, which cannot have headers. */
export function eventsUrl(): string {
  return `/_workbench/api/events?nonce=${encodeURIComponent(readNonce())}`
}

/** `fetch` for the workbench API. */
export const fetchWorkbench: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('x-sdk-workbench', readNonce())
  return fetch(input, { ...init, headers })
}
