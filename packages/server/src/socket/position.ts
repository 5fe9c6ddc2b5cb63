import type { EnginePosition } from '../engine/engine.ts'

/** Where a listener says that it stood before. */
export interface ResumePosition extends EnginePosition {
  /** How far it had come here: it cannot have come further, and what was said behind that it must not pass over. */
  readonly reached?: EnginePosition | null
}

/** How many messages lie between two places; not a number where they cannot be compared. */
export function distance(one: EnginePosition | null, other: EnginePosition | null): number {
  return one !== null && one.epoch === other?.epoch ? one.offset - other.offset : Number.NaN
}
