import type { RunChunk } from '../run.ts'
import { toMillis } from './draft-tools.ts'
import type { Redactor } from './redact.ts'

/** Frames of one connection that are kept: the newest. */
const MAX_FRAMES = 5_000

/** Characters that they may have, and one of them. */
const MAX_TEXT = 1_000_000

interface Frame {
  readonly text: string
  readonly bytes: number
  readonly at: number
  readonly from: 'client' | 'server'
}

/** The newest frames of a connection, both ways. */
export class Frames {
  count = 0
  bytes = 0
  #kept: Frame[] = []
  #size = 0
  /** Those before it are dropped, several at a time. */
  #first = 0

  add(text: string, from: Frame['from'], at: number): void {
    const bytes = Buffer.byteLength(text)
    this.count += 1
    this.bytes += bytes
    const kept = text.slice(0, MAX_TEXT)
    this.#kept.push({ text: kept, bytes, at, from })
    this.#size += kept.length
    while (this.#kept.length - this.#first > MAX_FRAMES || this.#size > MAX_TEXT) this.#dropOldest()
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return this.#kept.slice(this.#first).map(({ text, bytes, at, from }) => ({
      text: redactor.text(text),
      bytes,
      isCut: text.length === MAX_TEXT && bytes > MAX_TEXT,
      at: toMillis(at),
      from,
    }))
  }

  #dropOldest(): void {
    this.#size -= this.#kept[this.#first]?.text.length ?? 0
    this.#first += 1
    if (this.#first <= MAX_FRAMES) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }
}
