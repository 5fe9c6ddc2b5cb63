import type { IncomingMessage, ServerResponse } from 'node:http'

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Records that the client waits. The 100 is sent when the body is read, so a rejected request gets no 100. */
export function holdContinue(incoming: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (Number(length) > 0 || coding !== undefined) waiting.set(incoming, response)
}

/** Sends `100 Continue` if the client still waits for it. */
export function sendContinue(incoming: IncomingMessage): void {
  if (incoming.headers.expect === undefined) return
  waiting.get(incoming)?.writeContinue()
  waiting.delete(incoming)
}

/** Returns whether the client still waits. It may or may not send the body, so the connection cannot be reused. */
export function isContinueHeld(incoming: IncomingMessage): boolean {
  return incoming.headers.expect !== undefined && waiting.has(incoming)
}
