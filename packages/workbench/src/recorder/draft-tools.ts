import type { RunIds } from '../store/run-ids.ts'
import type { RunDraft } from '../store/run-store.ts'
import type { People } from './people.ts'
import type { Redactor } from './redact.ts'
import type { Held } from './texts.ts'

/** What runs that are being recorded work with. */
export interface DraftTools {
  readonly root: string
  readonly people: People
  readonly ids: RunIds
  readonly held: Held
  /** The same of the frames of sockets, which stay long. */
  readonly frames: Held
  now(): number
  clock(): number
  revision(): number
  redactor(): Redactor
  /** A run went on, or is over. */
  changed(draft: RunDraft): void
}

/** Times are kept to the microsecond: what is finer is noise. */
export function toMillis(time: number): number {
  return Math.round(time * 1_000) / 1_000
}

/** The first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 500) ?? ''
}
