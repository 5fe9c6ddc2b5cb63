import type { BodyChunk, ReplyStream } from '@sdk/server'
import type { RecordedChunks } from './recorded-chunks.ts'

const REPORT_INTERVAL_MS = 100

/** The maximum time between two chunks in the same tick, in ms. The server sends all chunks of a tick in one write. */
const SAME_TICK_MS = 0.02

/** The run that a stream belongs to. */
export interface StreamObserver {
  /** Returns the time since the run started, in ms. */
  at(): number
  changed(): void
  /**
   * Called when the stream fails. `isTold` is true if its last chunk reports the error, and false if it was cut off.
   */
  broke(isTold: boolean): void
}

/** A stream that records its chunks. */
export class RecordedStream implements ReplyStream {
  readonly chunks: ReplyStream['chunks']
  readonly #body: ReplyStream
  readonly #run: StreamObserver
  readonly #pieces: RecordedChunks
  #at = 0
  /**
   * Whether `#at` is still the time of the current tick. It is reused, since reading the clock takes longer than
   * storing a chunk.
   */
  #isNow = false
  #reportedAt = 0

  constructor(body: ReplyStream, run: StreamObserver, pieces: RecordedChunks) {
    this.chunks = body.chunks
    this.#body = body
    this.#run = run
    this.#pieces = pieces
  }

  encode(chunk: unknown): BodyChunk | Promise<BodyChunk> {
    const piece = this.#body.encode(chunk)
    return piece instanceof Promise ? piece.then((made) => this.#note(made)) : this.#note(piece)
  }

  encodeError(thrown: unknown): BodyChunk | null {
    const last = this.#body.encodeError(thrown)
    this.#run.broke(last !== null)
    return last === null ? null : this.#note(last)
  }

  #note(piece: BodyChunk): BodyChunk {
    const at = this.#isNow ? this.#at : this.#look()
    this.#pieces.add(piece, at)
    if (at - this.#reportedAt > REPORT_INTERVAL_MS) {
      this.#reportedAt = at
      this.#run.changed()
    }
    return piece
  }
  #look(): number {
    const at = this.#run.at()
    // The time is reused only after two chunks in one tick: with one chunk per tick, reusing it costs more than it
    // saves.
    if (at - this.#at < SAME_TICK_MS) {
      this.#isNow = true
      process.nextTick(this.#forget)
    }
    return (this.#at = at)
  }

  #forget = (): void => {
    this.#isNow = false
  }
}
