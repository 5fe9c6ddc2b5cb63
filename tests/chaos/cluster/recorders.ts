/** The parts of a room's frame that are used here. */
interface RoomFrame {
  readonly o: string
  /** The room; missing in a frame of the session. */
  readonly s?: string
  readonly e?: string
  readonly i?: number
  readonly d?: { readonly n?: number }
}

/** The messages to a single client: a response to each number that it sent. */
export class ReplyRecorder {
  gaps = 0
  /** The numbers of the replies, in order of arrival. */
  readonly numbers: number[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly unreported: string[] = []
  /** The time at which the server asked it to reconnect, by `performance.now()`. */
  readonly byes: number[] = []
  #last = 0
  #hasGap = false

  /** Records a received frame. */
  take(text: string): void {
    const { o, s, i = 0, d } = JSON.parse(text) as RoomFrame
    if (o === 'bye') this.byes.push(performance.now())
    if (s !== undefined) return
    if (o === 'gap') {
      this.gaps += 1
      this.#hasGap = true
    }
    // A message that is sent again on another connection has the same number.
    if (o !== 'm' || i <= this.#last) return
    if (!this.#hasGap && i !== this.#last + 1) this.unreported.push(`${i} after ${this.#last}`)
    this.#last = i
    this.#hasGap = false
    this.numbers.push(d?.n ?? 0)
  }
}

/** The messages of a room that a client received, by position. */
export class RoomRecorder {
  count = 0
  gaps = 0
  /** Messages that arrived after a later one, or twice. */
  readonly reordered: string[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly unreported: string[] = []
  /** The last position that arrived over each connection. */
  readonly #positions = new WeakMap<object, { epoch: string; number: number }>()
  #epoch = ''
  #last = -1
  #hasGap = true

  /** Records a frame of a connection; a client has two connections while it moves. */
  take(text: string, from: object): void {
    const frame = JSON.parse(text) as RoomFrame
    if (frame.s === undefined) return
    if (frame.o === 'gap') {
      this.gaps += 1
      this.#hasGap = true
    } else if (frame.o === 'm') this.#message(frame.e ?? '', frame.i ?? 0, from)
  }

  /** The current position: the epoch, and the number of the last message. */
  get position(): string {
    return `${this.#epoch}-${this.#last}`
  }

  #message(epoch: string, number: number, from: object): void {
    const at = `${epoch}-${number} after ${this.position}`
    const isSame = epoch === this.#epoch
    const before = this.#positions.get(from)
    this.#positions.set(from, { epoch, number })
    const isAgain = before?.epoch === epoch && number <= before.number
    if (isAgain || Number(epoch) < Number(this.#epoch)) return void this.reordered.push(at)
    // The other connection was faster: the client uses the message once.
    if (isSame && number <= this.#last) return
    if (!this.#hasGap && (!isSame || number !== this.#last + 1)) this.unreported.push(at)
    this.count += 1
    this.#epoch = epoch
    this.#last = number
    this.#hasGap = false
  }
}
