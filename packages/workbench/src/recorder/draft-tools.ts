import type { RunIds } from '../store/run-ids.ts'
import type { RunDraft } from '../store/run-store.ts'
import type { People } from './people.ts'
import type { Redactor } from './redact.ts'
import type { Held } from './texts.ts'

/** What the drafts of runs share. */
export interface DraftTools {
  readonly root: string
  readonly people: People
  readonly ids: RunIds
  readonly held: Held
  /** The same for frames of sockets, which are held for long. */
  readonly frames: Held
  now(): number
  clock(): number
  revision(): number
  redactor(): Redactor
  /** Called when a run has changed or ended. */
  changed(draft: RunDraft): void
}

/** Rounds to microseconds: finer differences are noise. */
export function toMillis(time: number): number {
  return Math.round(time * 1_000) / 1_000
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 500) ?? ''
}
