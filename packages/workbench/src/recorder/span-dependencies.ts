import type { RunError } from '../run.ts'
import type { TextBudget } from './stored-text.ts'

/** Dependencies of `Spans` and its model steps. */
export interface SpanDependencies {
  readonly budget: TextBudget
  /** Returns the time since the run started, in ms. */
  at(): number
  toError(thrown: unknown): RunError
  /** Called before something is stored. If the run has already ended and been written, it is written again. */
  resume(): void
  /** Called after a model step has started or ended. */
  changed(): void
}
