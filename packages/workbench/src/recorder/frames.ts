import type { RunChunk } from '../run.ts'
import { toMillis } from './draft-tools.ts'
import type { Redactor } from './redact.ts'
import type { Held } from './texts.ts'

/** Frames of one connection that are kept: the newest. */
const MAX_FRAMES = 5_000

/** Characters that they may have, and one of them. */
const MAX_TEXT = 1_000_000

/** Characters that the frames of all connections may have: beyond it, each that goes on keeps fewer. */
const MAX_HELD = 32_000_000

interface Frame {
  readonly text: string
  readonly bytes: number
  readonly at: number
  readonly from: 'client' | 'server'
}

/** Stands where a frame was, so that its text can go. */
const DROPPED: Frame = { text: '', bytes: 0, at: 0, from: 'server' }

/** The newest frames of a connection, both ways. */
export class Frames {
  count = 0
  bytes = 0
  #kept: Frame[] = []
  #size = 0
  /** Those before it are dropped; the list is cut several at a time. */
  #first = 0
  readonly #held: Held

  constructor(held: Held) {
    this.#held = held
  }

  add(text: string, from: Frame['from'], at: number): void {
    const bytes = Buffer.byteLength(text)
    this.count += 1
    this.bytes += bytes
    const kept = text.slice(0, MAX_TEXT)
    this.#kept.push({ text: kept, bytes, at, from })
    this.#size += kept.length
    this.#held.size += kept.length
    while (this.#isTooMuch()) this.#dropOldest()
  }

  /** What was kept is gone. */
  letGo(): void {
    this.#held.size -= this.#size
    this.#size = 0
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

  #isTooMuch(): boolean {
    const count = this.#kept.length - this.#first
    return count > MAX_FRAMES || this.#size > MAX_TEXT || (count > 1 && this.#held.size > MAX_HELD)
  }

  #dropOldest(): void {
    const { length } = (this.#kept[this.#first] ?? DROPPED).text
    this.#size -= length
    this.#held.size -= length
    this.#kept[this.#first] = DROPPED
    this.#first += 1
    if (this.#first <= MAX_FRAMES) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }
}
