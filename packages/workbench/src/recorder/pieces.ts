import type { Piece } from '@sdk/server'
import type { RunChunk } from '../run.ts'
import { toMillis } from './draft-tools.ts'
import type { Redactor } from './redact.ts'
import { bytesOf, toRunTexts, type Kept, type TextBudget } from './texts.ts'

/** Pieces of one body that are kept with their times; more are only counted. */
const MAX_PIECES = 20_000

/** The pieces of a body, as they are sent. */
export class Pieces {
  count = 0
  readonly #budget: TextBudget
  readonly #kept: Kept[] = []
  readonly #times: number[] = []

  constructor(budget: TextBudget) {
    this.#budget = budget
  }

  /** Called for every chunk of every stream: it has to be quick. */
  add(piece: Piece, at: number): void {
    this.count += 1
    if (this.count > MAX_PIECES) return
    this.#kept.push(this.#budget.take(piece))
    this.#times.push(at)
  }

  /** Bytes of the pieces that were kept. */
  bytes(): number {
    return this.#kept.reduce((sum: number, kept) => sum + bytesOf(kept), 0)
  }

  /** The first piece, where it is a text. */
  firstText(): string {
    const [first] = this.#kept
    return typeof first === 'string' ? first : ''
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return toRunTexts(this.#kept, redactor).map((text, index) => ({ ...text, at: toMillis(this.#times[index] ?? 0) }))
  }
}
