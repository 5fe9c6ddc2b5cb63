import type { ServerResponse } from 'node:http'
import { ApiError } from '@sdk/server'

/** Answers outside of the app as the app would: with the envelope. */
export function sendError(response: ServerResponse, code: ApiError['code'], message: string): void {
  const { status, details } = new ApiError(code, message)
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify({ error: { code, message, details } }))
}
