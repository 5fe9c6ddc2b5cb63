import type { IncomingMessage } from 'node:http'

/** Returns whether to serve the page. It is served for client-side routes, but not for missing files. */
export function isPageRequest({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const last = url.split('?', 1)[0]?.split('/').at(-1) ?? ''
  return !last.includes('.') || (headers.accept ?? '').includes('text/html')
}
