import { END } from './connection-end.ts'
import type { LinkOwner } from './client-link.ts'
import type { SessionSnapshot } from './node-messaging.ts'
import { ReplayBuffer } from './replay-buffer.ts'
import type { SessionDependencies } from './session-dependencies.ts'

/** Messages that go to another process with their session. */
type UnsentMessages = Pick<SessionSnapshot, 'last' | 'texts'>

/** Characters of messages that go along to another process; older ones are told as a gap. */
const MAX_UNSENT = 262_144

/** The messages to one client: sent at once where it can take them, kept until it has them. */
export class Outbox {
  readonly #client: LinkOwner
  readonly #now: () => number
  readonly #buffer: ReplayBuffer
  /** The number of the last message that went to the link. */
  #written: number
  #isEnded = false
  #forward: ((json: string) => void) | null = null

  constructor(to: LinkOwner, deps: Pick<SessionDependencies, 'limits' | 'budget' | 'now'>, last: number) {
    this.#client = to
    this.#now = deps.now
    this.#buffer = new ReplayBuffer(last, deps.limits, deps.budget)
    this.#written = last
  }

  /** Sends a message, as JSON text. */
  send(json: string): void {
    if (this.#forward !== null) return this.#forward(json)
    if (this.#isEnded) return this.#buffer.skip()
    const { isSdk, link } = this.#client
    const number = this.#buffer.last + 1
    const text = isSdk ? `{"o":"m","i":${number},"d":${json}}` : json
    const isSent = this.#written === number - 1 && link !== null && link.send(text)
    if (isSent) this.#written = number
    // A raw client cannot say what it has got, so only what it was too slow for is kept.
    if (isSent && !isSdk) this.#buffer.skip()
    else this.#buffer.add(text, this.#now())
  }

  /** The client has all messages up to this one. */
  forget(upTo: number): void {
    this.#buffer.forget(upTo)
  }

  /** There is a new link, and its client has all messages up to this one. */
  attach(upTo: number): void {
    this.#isEnded = false
    this.#forward = null
    this.#written = upTo
    this.#buffer.forget(upTo)
    // The client may have got more, in another process.
    this.#buffer.last = Math.max(upTo, this.#buffer.last)
    this.catchUp()
  }

  /** Sends what the link has not had yet, as far as it can take it; what is kept no longer is told as a gap. */
  catchUp(): void {
    const { isSdk, link } = this.#client
    const first = this.#buffer.first
    if (this.#written < first - 1) {
      if (!isSdk) return link?.close(END.slowConsumer)
      link?.sendFrame({ o: 'gap', from: this.#written, to: first - 1 })
      this.#written = first - 1
    }
    for (;;) {
      const text = this.#buffer.get(this.#written + 1)
      if (text === undefined || link?.send(text) !== true) return
      this.#written += 1
      if (!isSdk) this.#buffer.forget(this.#written)
    }
  }

  /** What a client has not got that has all up to `after`; whatever is sent from now on goes to `forward`. */
  handOver(after: number, forward: (json: string) => void): UnsentMessages {
    const buffer = this.#buffer
    const texts: string[] = []
    let size = 0
    for (let number = buffer.last; number > after; number -= 1) {
      const text = buffer.get(number)
      if (text === undefined || (size += text.length) > MAX_UNSENT) break
      texts.push(text)
    }
    this.#forward = forward
    this.end()
    return { last: buffer.last, texts: texts.toReversed() }
  }

  /** Goes on with what another process had not sent. */
  takeOver({ last, texts }: UnsentMessages): void {
    if (last < this.#buffer.last) return // what the client has says more
    this.#buffer.last = last - texts.length
    for (const text of texts) this.#buffer.add(text, this.#now())
  }

  /** The client will not come back: lets go of all that is kept, and keeps no more. */
  end(): void {
    this.#isEnded = true
    this.#buffer.clear()
  }
}
