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
  readonly #times: number[] = []
  /** Texts are kept as one: what lives long costs the collector of garbage by its number, not by its size. */
  #text = ''
  readonly #lengths: number[] = []
  /** From the first piece on that is not a whole text. */
  #others: Kept[] | null = null

  constructor(budget: TextBudget) {
    this.#budget = budget
  }

  /** Called for every chunk of every stream: it has to be quick. */
  add(piece: Piece, at: number): void {
    this.count += 1
    if (this.count > MAX_PIECES) return
    const kept = this.#budget.take(piece)
    this.#times.push(at)
    if (typeof kept === 'string' && this.#others === null) {
      this.#text += kept
      this.#lengths.push(kept.length)
    } else (this.#others ??= []).push(kept)
  }

  /** There will be no more. */
  settle(): void {
    // To look at a text that was put together makes one of its parts, which are garbage then while they are young.
    this.#text.charCodeAt(0)
  }

  /** Bytes of the pieces that were kept. */
  bytes(): number {
    return (this.#others ?? []).reduce((sum: number, kept) => sum + bytesOf(kept), Buffer.byteLength(this.#text))
  }

  /** The first piece, where it is a text. */
  firstText(): string {
    return this.#text.slice(0, this.#lengths[0] ?? 0)
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return toRunTexts(this.#all(), redactor).map((text, index) => ({ ...text, at: toMillis(this.#times[index] ?? 0) }))
  }

  #all(): readonly Kept[] {
    let end = 0
    const texts = this.#lengths.map((length) => {
      end += length
      return this.#text.slice(end - length, end)
    })
    return this.#others === null ? texts : [...texts, ...this.#others]
  }
}
