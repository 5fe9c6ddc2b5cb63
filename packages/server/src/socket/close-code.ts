import { CLOSE, type ApiError } from '@sdk/protocol'

const CLOSE_CODE_BY_STATUS: ReadonlyMap<number, number> = new Map([
  [401, CLOSE.unauthorized],
  [403, CLOSE.forbidden],
  [404, CLOSE.notFound],
  [429, CLOSE.tooMany],
  [503, CLOSE.unavailable],
])

/** The close code that says what an error of this status says. */
export function closeCodeOf(status: number): number {
  return CLOSE_CODE_BY_STATUS.get(status) ?? CLOSE.setupFailed
}

/** The reason of a close that says what an error says: its code, which may be one of the app's own, and its message. */
export function closeReasonOf({ code, message }: ApiError): string {
  return `${code}: ${message}`
}
