import type { IncomingMessage, ServerResponse } from 'node:http'

/** The requests whose clients wait for `100 Continue` before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Notes that the client waits. The 100 is sent when the body is read: a refusal before that is the only answer. */
export function holdContinue(incoming: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = incoming.headers
  if (Number(length) > 0 || coding !== undefined) waiting.set(incoming, response)
}

/** Sends the 100 if the client still waits for it. */
export function sendContinue(incoming: IncomingMessage): void {
  if (incoming.headers.expect === undefined) return
  waiting.get(incoming)?.writeContinue()
  waiting.delete(incoming)
}

/** Does the client still wait? Then it may send the body or not, so the connection cannot have another request. */
export function isContinueHeld(incoming: IncomingMessage): boolean {
  return incoming.headers.expect !== undefined && waiting.has(incoming)
}
