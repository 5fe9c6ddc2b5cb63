import type { Piece } from '@sdk/server'
import type { RunChunk } from '../run.ts'
import { toMillis } from './draft-tools.ts'
import type { Redactor } from './redact.ts'
import { bytesOf, toRunTexts, type Kept, type TextBudget } from './texts.ts'

/** Pieces of one body that are kept with their times; more are only counted. */
const MAX_PIECES = 20_000

/** The texts of many pieces as one: what lives long costs the collector of garbage by its number, not by its size. */
interface Joined {
  readonly text: string
  readonly lengths: readonly number[]
}

/** The pieces of a body, as they are sent. */
export class Pieces {
  count = 0
  readonly #budget: TextBudget
  #kept: Kept[] = []
  #times: number[] = []
  #joined: Joined | null = null

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

  /** There will be no more. */
  settle(): void {
    if (this.#kept.length < 4 || !this.#kept.every((kept) => typeof kept === 'string')) return
    this.#joined = { text: this.#kept.join(''), lengths: this.#kept.map(({ length }) => length) }
    this.#kept = []
  }

  /** Bytes of the pieces that were kept. */
  bytes(): number {
    return this.#all().reduce((sum: number, kept) => sum + bytesOf(kept), 0)
  }

  /** The first piece, where it is a text. */
  firstText(): string {
    const [first] = this.#all()
    return typeof first === 'string' ? first : ''
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return toRunTexts(this.#all(), redactor).map((text, index) => ({ ...text, at: toMillis(this.#times[index] ?? 0) }))
  }

  #all(): readonly Kept[] {
    if (this.#joined === null) return this.#kept
    const { text, lengths } = this.#joined
    let end = 0
    return lengths.map((length) => {
      end += length
      return text.slice(end - length, end)
    })
  }
}
