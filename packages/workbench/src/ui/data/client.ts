import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { identity } from './identity.ts'

/** By this header the recorder knows who called. */
const CALLER = { 'x-sdk-caller': 'workbench' }

/**
 * The client of all pages. Calls to the app's own routes carry the identity that was chosen, and the cookies of this
 * browser only where that identity is the browser; those to the workbench carry its cookie, always.
 */
export function createWorkbenchClient(): HttpClient {
  return createHttpClient({ retry: false, fetch: (input, init) => fetch(input, toInit(new Request(input).url, init)) })
}

function toInit(url: string, init: RequestInit = {}): RequestInit {
  if (new URL(url).pathname.startsWith('/_workbench/')) return init
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(CALLER)) headers.set(name, value)
  return { ...init, headers, credentials: identity.snapshot().kind === 'browser' ? 'same-origin' : 'omit' }
}
