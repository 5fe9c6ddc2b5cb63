/** A frame of a room, as far as it matters here. */
interface RoomFrame {
  readonly o: string
  /** The room; a frame without one is of the session. */
  readonly s?: string
  readonly e?: string
  readonly i?: number
}

/** What a client heard of its room, by the places of the messages. */
export class HearingOfRoom {
  heard = 0
  gaps = 0
  /** Messages that came after a later one, or twice. */
  readonly reordered: string[] = []
  /** Places before which something is missing, and no gap told of it. */
  readonly untold: string[] = []
  #epoch = ''
  #last = -1
  #isTold = true

  /** Takes a frame as it came over the wire. */
  take(text: string): void {
    const frame = JSON.parse(text) as RoomFrame
    if (frame.s === undefined) return
    if (frame.o === 'gap') {
      this.gaps += 1
      this.#isTold = true
    } else if (frame.o === 'm') this.#message(frame.e ?? '', frame.i ?? 0)
  }

  /** Where it is: the epoch, and the number of the last message. */
  get place(): string {
    return `${this.#epoch}-${this.#last}`
  }

  #message(epoch: string, number: number): void {
    const at = `${epoch}-${number} after ${this.place}`
    const isSame = epoch === this.#epoch
    if (isSame ? number <= this.#last : Number(epoch) < Number(this.#epoch)) return void this.reordered.push(at)
    if (!this.#isTold && (!isSame || number !== this.#last + 1)) this.untold.push(at)
    this.heard += 1
    this.#epoch = epoch
    this.#last = number
    this.#isTold = false
  }
}
