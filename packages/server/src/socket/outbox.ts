import { END } from './connection-end.ts'
import type { LinkOwner } from './client-link.ts'
import type { SessionSnapshot } from './node-messaging.ts'
import { ReplayBuffer } from './replay-buffer.ts'
import type { SessionDependencies } from './session-dependencies.ts'
import type { SharedMessage } from './transport.ts'

/** Messages that are handed over to another process with their session. */
type UnsentMessages = Pick<SessionSnapshot, 'last' | 'texts'>

/** The maximum total length of the handed-over messages, in characters. Older messages are reported as a gap. */
const MAX_UNSENT = 262_144

/** The messages to one client. They are sent as soon as the client can keep up, and buffered until acknowledged. */
export class Outbox {
  readonly #client: LinkOwner
  readonly #now: () => number
  readonly #buffer: ReplayBuffer
  /** The number of the last message that was written to the link. */
  #written: number
  /** The number of the last shared message that was sent. */
  #shared = 0
  #isEnded = false
  #forward: ((json: string) => void) | null = null

  constructor(to: LinkOwner, deps: Pick<SessionDependencies, 'limits' | 'budget' | 'now'>, last: number) {
    this.#client = to
    this.#now = deps.now
    this.#buffer = new ReplayBuffer(last, deps.limits, deps.budget)
    this.#written = last
  }

  /** Sends a message that is already serialized as JSON. */
  send(json: string): void {
    if (this.#forward !== null) return this.#forward(json)
    if (this.#isEnded) return this.#buffer.skip()
    const { isSdk, link } = this.#client
    const number = this.#buffer.last + 1
    const text = isSdk ? `{"o":"m","i":${number},"d":${json}}` : json
    const isSent = this.#written === number - 1 && link !== null && link.send(text)
    if (isSent) this.#written = number
    // A raw client sends no acks, so only messages that could not be sent yet are buffered.
    if (isSent && !isSdk) this.#buffer.skip()
    else this.#buffer.add(text, this.#now())
  }

  /**
   * Sends a message that is never sent again, also if this is called for it several times in sequence. Returns false, and
   * sends nothing, if the client cannot receive it now.
   */
  sendOnce({ number, framed, bare }: SharedMessage): boolean {
    if (number === this.#shared) return true
    const { isSdk, link } = this.#client
    const isSent = link !== null && !this.isBehind && link.sendShared(isSdk ? framed : bare)
    if (isSent) this.#shared = number
    return isSent
  }

  /** Whether some messages have not been written to the link yet. */
  get isBehind(): boolean {
    return this.#written < this.#buffer.last
  }

  /** Removes the messages up to this number, which the client has received. */
  forget(upTo: number): void {
    this.#buffer.forget(upTo)
  }

  /** Resumes sending on a new link. The client has already received all messages up to this number. */
  attach(upTo: number): void {
    this.#isEnded = false
    this.#forward = null
    this.#written = upTo
    this.#buffer.forget(upTo)
    // The client may have received more messages in another process.
    this.#buffer.last = Math.max(upTo, this.#buffer.last)
    this.catchUp()
  }

  /**
   * Sends unsent messages until the client can no longer keep up. Messages that are no longer buffered are reported as
   * a gap.
   */
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

  /** Returns the buffered messages with numbers above `after`. Messages sent later are passed to `forward`. */
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

  /** Adds unsent messages that were handed over by another process. */
  takeOver({ last, texts }: UnsentMessages): void {
    if (last < this.#buffer.last) return // the client has received newer messages
    this.#buffer.last = last - texts.length
    for (const text of texts) this.#buffer.add(text, this.#now())
  }

  /** Clears the buffer and stops buffering, because the client will not reconnect. */
  end(): void {
    this.#isEnded = true
    this.#buffer.clear()
  }
}

let lastNumber = 0

/**
 * Creates a message that many clients receive, from its JSON. It is encoded once for all of them. Clients get no number
 * with it.
 */
export function toSharedMessage(json: string): SharedMessage {
  return { number: ++lastNumber, framed: { text: `{"o":"m","i":0,"d":${json}}` }, bare: { text: json } }
}
