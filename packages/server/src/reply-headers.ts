import type { Call, Reply } from './call.ts'

/** The headers that every answer has, unless its handler said otherwise. */
export function finishHeaders({ status, headers }: Reply, call: Call): void {
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  headers['x-content-type-options'] ??= 'nosniff'
  headers['content-security-policy'] ??= "default-src 'none'; frame-ancestors 'none'"
  headers['referrer-policy'] ??= 'no-referrer'
  headers['cross-origin-resource-policy'] ??= 'same-origin'
  headers['cache-control'] ??= isRead && (status === 200 || status === 304) ? 'private, no-cache' : 'no-store'
  if (isRead) headers['vary'] ??= 'Accept, Authorization, Cookie'
  if (call.isSecure) headers['strict-transport-security'] ??= 'max-age=31536000'
}
