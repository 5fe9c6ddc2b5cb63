import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { identity } from './identity.ts'
import { fetchWorkbench } from './nonce.ts'

/**
 * Creates the client of all pages. Calls of the app's routes use the chosen identity, with the browser's cookies only
 * if that is the browser. Calls of the workbench API always have its cookie and nonce.
 */
export function createWorkbenchClient(): HttpClient {
  return createHttpClient({
    retry: false,
    fetch: (input, init) => (isOwnApi(input) ? fetchWorkbench(input, init) : fetch(input, toAppCall(init))),
  })
}

function isOwnApi(input: RequestInfo | URL): boolean {
  return new URL(new Request(input).url).pathname.startsWith('/_workbench/')
}

function toAppCall(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('x-sdk-caller', 'workbench')
  return { ...init, headers, credentials: identity.snapshot().kind === 'browser' ? 'same-origin' : 'omit' }
}
