import type { EnginePosition } from '../engine.ts'

/** Before the first message. */
export const ORIGIN: EnginePosition = { epoch: '0', offset: 0 }

/** Does `a` come after `b`? An epoch is the millisecond it began at, so a later one is also a greater number. */
export function isAfter(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch ? a.offset > b.offset : Number(a.epoch) > Number(b.epoch)
}

/** Does `a` follow `b` with nothing between them? */
export function isNext(a: EnginePosition, b: EnginePosition): boolean {
  return a.epoch === b.epoch && a.offset === b.offset + 1
}
