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
export class HearingOfAnswers {
  gaps = 0
  /** The numbers that were answered, in order of arrival. */
  readonly answered: number[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly untold: string[] = []
  /** The time at which the server asked it to reconnect, by `performance.now()`. */
  readonly byes: number[] = []
  #last = 0
  #isTold = false

  /** Records a received frame. */
  take(text: string): void {
    const { o, s, i = 0, d } = JSON.parse(text) as RoomFrame
    if (o === 'bye') this.byes.push(performance.now())
    if (s !== undefined) return
    if (o === 'gap') {
      this.gaps += 1
      this.#isTold = true
    }
    // A message that is sent again on another connection has the same number.
    if (o !== 'm' || i <= this.#last) return
    if (!this.#isTold && i !== this.#last + 1) this.untold.push(`${i} after ${this.#last}`)
    this.#last = i
    this.#isTold = false
    this.answered.push(d?.n ?? 0)
  }
}

/** The messages of a room that a client received, by position. */
export class HearingOfRoom {
  heard = 0
  gaps = 0
  /** Messages that arrived after a later one, or twice. */
  readonly reordered: string[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly untold: string[] = []
  /** The last position that arrived over each connection. */
  readonly #places = new WeakMap<object, { epoch: string; number: number }>()
  #epoch = ''
  #last = -1
  #isTold = true

  /** Records a frame of a connection; a client has two connections while it moves. */
  take(text: string, from: object): void {
    const frame = JSON.parse(text) as RoomFrame
    if (frame.s === undefined) return
    if (frame.o === 'gap') {
      this.gaps += 1
      this.#isTold = true
    } else if (frame.o === 'm') this.#message(frame.e ?? '', frame.i ?? 0, from)
  }

  /** The current position: the epoch, and the number of the last message. */
  get place(): string {
    return `${this.#epoch}-${this.#last}`
  }

  #message(epoch: string, number: number, from: object): void {
    const at = `${epoch}-${number} after ${this.place}`
    const isSame = epoch === this.#epoch
    const before = this.#places.get(from)
    this.#places.set(from, { epoch, number })
    const isAgain = before?.epoch === epoch && number <= before.number
    if (isAgain || Number(epoch) < Number(this.#epoch)) return void this.reordered.push(at)
    // The other connection was faster: the client uses the message once.
    if (isSame && number <= this.#last) return
    if (!this.#isTold && (!isSame || number !== this.#last + 1)) this.untold.push(at)
    this.heard += 1
    this.#epoch = epoch
    this.#last = number
    this.#isTold = false
  }
}
