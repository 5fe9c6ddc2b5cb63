import type { IncomingMessage } from 'node:http'

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/**
 * Why a request may not reach the workbench; null where it may. A foreign `Host` is a page of
 * somebody else whose name was bent to this machine; a foreign `Origin` is a page of somebody else.
 */
export function refusalOf({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | null {
  const { host = '', origin } = headers
  if (!LOOPBACK.test(host))
    return `the workbench is open to localhost, not to ${host === '' ? 'a request without Host' : host}`
  if (method === 'GET' || method === 'HEAD') return null
  const isOurs = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
  return isOurs ? null : 'the workbench takes changes from its own pages only'
}
