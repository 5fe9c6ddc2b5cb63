import { CLOSE } from '@sdk/protocol'

const CODES: ReadonlyMap<number, number> = new Map([
  [401, CLOSE.unauthorized],
  [403, CLOSE.forbidden],
  [404, CLOSE.notFound],
  [429, CLOSE.tooMany],
  [503, 1013], // try again later
])

/** The close code that says what an error of this status says. */
export function closeCodeOf(status: number): number {
  return CODES.get(status) ?? CLOSE.setupFailed
}
