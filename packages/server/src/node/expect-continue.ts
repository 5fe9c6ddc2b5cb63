import type { IncomingMessage, ServerResponse } from 'node:http'

/** Requests whose client is waiting for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Records that the client is waiting for `100 Continue`. The server sends it when the body is read, so the client of a
 * rejected request never receives it.
 */
export function holdContinue(incoming: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (Number(length) > 0 || coding !== undefined) waiting.set(incoming, response)
}

/** Sends `100 Continue` if the client is still waiting for it. */
export function sendContinue(incoming: IncomingMessage): void {
  if (incoming.headers.expect === undefined) return
  waiting.get(incoming)?.writeContinue()
  waiting.delete(incoming)
}

/**
 * Returns whether the client is still waiting for `100 Continue`. The client may or may not send the body, so the
 * connection cannot be reused.
 */
export function isContinueHeld(incoming: IncomingMessage): boolean {
  return incoming.headers.expect !== undefined && waiting.has(incoming)
}
