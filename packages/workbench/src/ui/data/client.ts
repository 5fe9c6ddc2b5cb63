import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { identity } from './identity.ts'

/**
 * The client of all pages. Calls of the app's routes are made as the chosen identity, with the browser's cookies only
 * if that is the browser. Calls of the workbench's own API always carry its cookie.
 */
export function createWorkbenchClient(): HttpClient {
  return createHttpClient({ retry: false, fetch: (input, init) => fetch(input, toInit(new Request(input).url, init)) })
}

function toInit(url: string, init: RequestInit = {}): RequestInit {
  if (new URL(url).pathname.startsWith('/_workbench/')) return init
  const headers = new Headers(init.headers)
  headers.set('x-sdk-caller', 'workbench')
  return { ...init, headers, credentials: identity.snapshot().kind === 'browser' ? 'same-origin' : 'omit' }
}
