/** A frame of a room, as far as it matters here. */
interface RoomFrame {
  readonly o: string
  /** The room; a frame without one is of the session. */
  readonly s?: string
  readonly e?: string
  readonly i?: number
  readonly d?: { readonly n?: number }
}

/** The messages to a single client: an answer to each number that it sent. */
export class HearingOfAnswers {
  gaps = 0
  /** The numbers that were answered, in the order they came. */
  readonly answered: number[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly untold: string[] = []
  /** When it was asked to go elsewhere, by `performance.now()`. */
  readonly byes: number[] = []
  #last = 0
  #isTold = false

  /** Takes a frame as it came over the wire. */
  take(text: string): void {
    const { o, s, i = 0, d } = JSON.parse(text) as RoomFrame
    if (o === 'bye') this.byes.push(performance.now())
    if (s !== undefined) return
    if (o === 'gap') {
      this.gaps += 1
      this.#isTold = true
    }
    // A message that is sent again on another connection keeps its number.
    if (o !== 'm' || i <= this.#last) return
    if (!this.#isTold && i !== this.#last + 1) this.untold.push(`${i} after ${this.#last}`)
    this.#last = i
    this.#isTold = false
    this.answered.push(d?.n ?? 0)
  }
}

/** The messages of a room that a client got, by their positions. */
export class HearingOfRoom {
  heard = 0
  gaps = 0
  /** Messages that came after a later one, or twice. */
  readonly reordered: string[] = []
  /** Positions before which messages are missing without a `gap`. */
  readonly untold: string[] = []
  /** The last place that came over each connection. */
  readonly #places = new WeakMap<object, { epoch: string; number: number }>()
  #epoch = ''
  #last = -1
  #isTold = true

  /** Takes a frame as it came over a connection; a client has two while it moves. */
  take(text: string, from: object): void {
    const frame = JSON.parse(text) as RoomFrame
    if (frame.s === undefined) return
    if (frame.o === 'gap') {
      this.gaps += 1
      this.#isTold = true
    } else if (frame.o === 'm') this.#message(frame.e ?? '', frame.i ?? 0, from)
  }

  /** Where it is: the epoch, and the number of the last message. */
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
    // The other connection was faster: the client takes it once.
    if (isSame && number <= this.#last) return
    if (!this.#isTold && (!isSame || number !== this.#last + 1)) this.untold.push(at)
    this.heard += 1
    this.#epoch = epoch
    this.#last = number
    this.#isTold = false
  }
}
