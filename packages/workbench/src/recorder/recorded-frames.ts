import type { RunChunk } from '../run.ts'
import { toMillis } from './recorder-dependencies.ts'
import type { Redactor } from './redact.ts'
import type { MemoryUsage } from './stored-text.ts'

/** The maximum number of frames stored per connection. Only the newest are kept. */
const MAX_FRAMES_PER_SOCKET = 5_000

/** The maximum number of characters stored for one frame, and for all frames of one connection together. */
const MAX_FRAME_TEXT = 1_000_000

/** The maximum number of characters stored for all connections. Beyond it, a connection drops its oldest frames. */
const MAX_FRAME_MEMORY = 32_000_000

interface RecordedFrame {
  readonly text: string
  readonly bytes: number
  readonly at: number
  readonly from: 'client' | 'server'
}

/** The placeholder for a dropped frame in the list, which allows the frame's text to be freed. */
const DROPPED: RecordedFrame = { text: '', bytes: 0, at: 0, from: 'server' }

/** The newest frames of a connection, in both directions. */
export class RecordedFrames {
  count = 0
  bytes = 0
  #kept: RecordedFrame[] = []
  #size = 0
  /** The index of the first frame that has not been dropped. The list itself is compacted only occasionally. */
  #first = 0
  readonly #held: MemoryUsage

  constructor(held: MemoryUsage) {
    this.#held = held
  }

  add(text: string, from: RecordedFrame['from'], at: number): void {
    const bytes = Buffer.byteLength(text)
    this.count += 1
    this.bytes += bytes
    const kept = text.slice(0, MAX_FRAME_TEXT)
    this.#kept.push({ text: kept, bytes, at, from })
    this.#size += kept.length
    this.#held.size += kept.length
    while (this.#isTooMuch()) this.#dropOldest()
  }

  release(): void {
    this.#held.size -= this.#size
    this.#size = 0
  }

  toChunks(redactor: Redactor): RunChunk[] {
    return this.#kept.slice(this.#first).map(({ text, bytes, at, from }) => ({
      text: redactor.text(text),
      bytes,
      isCut: text.length === MAX_FRAME_TEXT && bytes > MAX_FRAME_TEXT,
      at: toMillis(at),
      from,
    }))
  }

  #isTooMuch(): boolean {
    const count = this.#kept.length - this.#first
    return (
      count > MAX_FRAMES_PER_SOCKET || this.#size > MAX_FRAME_TEXT || (count > 1 && this.#held.size > MAX_FRAME_MEMORY)
    )
  }

  #dropOldest(): void {
    const { length } = (this.#kept[this.#first] ?? DROPPED).text
    this.#size -= length
    this.#held.size -= length
    this.#kept[this.#first] = DROPPED
    this.#first += 1
    if (this.#first <= MAX_FRAMES_PER_SOCKET) return
    this.#kept = this.#kept.slice(this.#first)
    this.#first = 0
  }
}
