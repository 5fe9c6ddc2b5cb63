import type { Piece, ReplyStream } from '@sdk/server'
import type { Pieces } from './pieces.ts'

/** A stream that goes on is told of so often, in ms. */
const TELL_EVERY = 100

/** Pieces that come within so many ms are taken for those of one tick, which leave in one write. */
const SAME_TICK = 0.02

/** The run that a stream is of. */
export interface StreamRun {
  /** ms since it began. */
  at(): number
  /** It went on. */
  changed(): void
  /** It threw; `isTold`: its last piece says so, otherwise it is cut off. */
  broke(isTold: boolean): void
}

/** A stream whose pieces are taken down. */
export class WatchedStream implements ReplyStream {
  readonly chunks: ReplyStream['chunks']
  readonly #body: ReplyStream
  readonly #run: StreamRun
  readonly #pieces: Pieces
  #at = 0
  /** Is the time that of this tick? To ask for it takes longer than to keep a piece. */
  #isNow = false
  #toldAt = 0

  constructor(body: ReplyStream, run: StreamRun, pieces: Pieces) {
    this.chunks = body.chunks
    this.#body = body
    this.#run = run
    this.#pieces = pieces
  }

  encode(chunk: unknown): Piece | Promise<Piece> {
    const piece = this.#body.encode(chunk)
    return piece instanceof Promise ? piece.then((made) => this.#note(made)) : this.#note(piece)
  }

  encodeError(thrown: unknown): Piece | null {
    const last = this.#body.encodeError(thrown)
    this.#run.broke(last !== null)
    return last === null ? null : this.#note(last)
  }

  #note(piece: Piece): Piece {
    const at = this.#isNow ? this.#at : this.#look()
    this.#pieces.add(piece, at)
    if (at - this.#toldAt > TELL_EVERY) {
      this.#toldAt = at
      this.#run.changed()
    }
    return piece
  }
  #look(): number {
    const at = this.#run.at()
    // A stream of one piece a tick would only pay for it.
    if (at - this.#at < SAME_TICK) {
      this.#isNow = true
      process.nextTick(this.#forget)
    }
    return (this.#at = at)
  }

  #forget = (): void => {
    this.#isNow = false
  }
}
