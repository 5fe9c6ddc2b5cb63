import type { BodyChunk } from '@sdk/server'
import type { RunChunk } from '../run.ts'
import { toMillis } from './recorder-dependencies.ts'
import type { Redactor } from './redact.ts'
import { storedBytes, storedText, toRunTexts, type StoredText, type TextBudget } from './stored-text.ts'

/** The maximum number of chunks stored per body. Further chunks are only counted. */
const MAX_CHUNKS_PER_BODY = 20_000

/** The chunks of a body, recorded as they are sent. */
export class RecordedChunks {
  count = 0
  readonly #budget: TextBudget
  readonly #times: number[] = []
  /** The text of the chunks before `#others`. It is one string, since more objects make garbage collection slower. */
  #text = ''
  readonly #lengths: number[] = []
  /** The first chunk that is binary or truncated, and all chunks after it. */
  #others: StoredText[] | null = null

  constructor(budget: TextBudget) {
    this.#budget = budget
  }

  /** Adds a chunk. This is a hot path: it is called for every chunk in every stream. */
  add(piece: BodyChunk, at: number): void {
    this.count += 1
    if (this.count > MAX_CHUNKS_PER_BODY) return
    const kept = this.#budget.take(piece)
    this.#times.push(at)
    if (typeof kept === 'string' && this.#others === null) {
      this.#text += kept
      this.#lengths.push(kept.length)
    } else (this.#others ??= []).push(kept)
  }

  settle(): void {
    // Reading a character makes V8 flatten the concatenated string, so that its parts are freed early.
    this.#text.charCodeAt(0)
  }

  bytes(): number {
    return (this.#others ?? []).reduce((sum: number, kept) => sum + storedBytes(kept), Buffer.byteLength(this.#text))
  }

  firstText(): string {
    const [first] = this.#others ?? []
    if (this.#lengths.length === 0 && first !== undefined) return storedText(first)
    return this.#text.slice(0, this.#lengths[0] ?? 0)
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return toRunTexts(this.#all(), redactor).map((text, index) => ({ ...text, at: toMillis(this.#times[index] ?? 0) }))
  }

  #all(): readonly StoredText[] {
    let end = 0
    const texts = this.#lengths.map((length) => {
      end += length
      return this.#text.slice(end - length, end)
    })
    return this.#others === null ? texts : [...texts, ...this.#others]
  }
}
