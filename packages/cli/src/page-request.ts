import type { IncomingMessage } from 'node:http'

/** May a page answer this request? Paths of the client's router get the page; a missing file does not. */
export function isPageRequest({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const last = url.split('?', 1)[0]?.split('/').at(-1) ?? ''
  return !last.includes('.') || (headers.accept ?? '').includes('text/html')
}
