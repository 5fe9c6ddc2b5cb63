import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { identity } from './identity.ts'
import { fetchWorkbench } from './nonce.ts'

/**
 * Creates the client that all pages use. Calls to the app's routes use the chosen identity, and include the browser's
 * cookies only if that identity is the browser. Calls to the workbench API always include its cookie and nonce.
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
