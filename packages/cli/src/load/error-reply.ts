import type { Reply } from '@sdk/server'

/** Creates the response to a call that the dev server itself rejects. */
export function createErrorReply(status: number, code: string, message: string): Reply & { body: string } {
  const body = JSON.stringify({ error: { code, message, details: [] } })
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
}
