import { CLOSE, codeOfStatus } from '@sdk/protocol'

const MAX_REASON = 123

/** Matches a reason that begins with an error code. */
const STARTS_WITH_CODE = /^[A-Z][A-Z0-9_]*: /

/**
 * Adds the error code to the reason for a 4xxx close code, so that clients need no lookup table, and truncates the
 * reason to fit the frame.
 */
export function toCloseReason(code: number, reason = ''): string {
  const isBare = code >= CLOSE.badProtocol && !STARTS_WITH_CODE.test(reason)
  const words = isBare ? [codeOfStatus(code - 4000), reason] : [reason]
  const text = words.filter(Boolean).join(': ')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_REASON))
  return text.slice(0, read)
}
