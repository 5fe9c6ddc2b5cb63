import type { RunIds } from '../store/run-ids.ts'
import type { RunRecorder } from '../store/run-store.ts'
import type { Identities } from './identities.ts'
import type { Redactor } from './redact.ts'
import type { MemoryUsage } from './stored-text.ts'

/** Dependencies shared by all recorders. */
export interface RecorderDependencies {
  readonly root: string
  readonly identities: Identities
  readonly ids: RunIds
  readonly textMemory: MemoryUsage
  /** The memory used by socket frames, which are held for longer than other data. */
  readonly frameMemory: MemoryUsage
  now(): number
  clock(): number
  revision(): number
  redactor(): Redactor
  changed(recorder: RunRecorder): void
  /** Called when a run changes after it has ended, so that it is written again. */
  changedLate(recorder: RunRecorder): void
}

/** Rounds a time in ms to microseconds, since finer differences are noise. */
export function toMillis(time: number): number {
  return Math.round(time * 1_000) / 1_000
}

/** Returns the first line of an error message. */
export function toErrorLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 500) ?? ''
}
