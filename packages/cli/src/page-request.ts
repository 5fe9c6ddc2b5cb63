import type { IncomingMessage } from 'node:http'

/** Paths of the app's own router are pages; a missing file is not. */
export function isPageRequest({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const last = url.split('?', 1)[0]?.split('/').at(-1) ?? ''
  return !last.includes('.') || (headers.accept ?? '').includes('text/html')
}
