import type { IncomingMessage } from 'node:http'

/** Returns whether a request gets the page. Client-side routes get the page, but missing files do not. */
export function isPageRequest({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const last = url.split('?', 1)[0]?.split('/').at(-1) ?? ''
  return !last.includes('.') || (headers.accept ?? '').includes('text/html')
}
