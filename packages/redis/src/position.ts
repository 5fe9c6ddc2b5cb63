import type { EnginePosition } from '@sdk/server'

/**
 * A place in a stream, written `epoch-offset`: the id of the stream's entry in Redis.
 * An epoch is the millisecond it began at, so a later epoch is also a greater number.
 */
export type Position = EnginePosition

/** Before the first message. */
export const ORIGIN: Position = { epoch: '0', offset: 0 }

/** The position an id speaks of. */
export function parsePosition(id: string): Position {
  const dash = id.indexOf('-')
  return { epoch: id.slice(0, dash), offset: Number(id.slice(dash + 1)) }
}

/** The id of a position. */
export function toId({ epoch, offset }: Position): string {
  return `${epoch}-${offset}`
}

/** Does `a` come after `b`? */
export function isAfter(a: Position, b: Position): boolean {
  return a.epoch === b.epoch ? a.offset > b.offset : Number(a.epoch) > Number(b.epoch)
}

/** Does `a` follow `b` with nothing between them? */
export function isNext(a: Position, b: Position): boolean {
  return a.epoch === b.epoch && a.offset === b.offset + 1
}
