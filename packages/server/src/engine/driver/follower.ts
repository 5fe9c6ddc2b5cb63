import type { EngineFrame, EnginePosition } from '../engine.ts'
import { isAfter, isNext } from './position.ts'
import type { StreamPage } from './stream-source.ts'

/** Makes one ordered stream out of live messages and the history. */
export interface Follower {
  /** Takes a live message. */
  receive(frame: EngineFrame): void
  /** Reads what was missed; the first time, where the stream ends. */
  catchUp(): Promise<void>
  /** Where it began: it delivers all that follows. Undefined until it was told where the stream ends. */
  start(): EnginePosition | undefined
  /** The last message that was delivered or lay before the start. */
  position(): EnginePosition | undefined
}

interface FollowerOptions {
  /** Reads on from a position, or only the end of the stream; undefined when nobody wants it any more. */
  read(position: EnginePosition | undefined): Promise<StreamPage | undefined>
  deliver(frame: EngineFrame): void
}

/** Live messages that may wait for a reading; the history holds the others. */
const MAX_PENDING_FRAMES = 1_000

/** Follows one stream. */
export function createFollower({ read, deliver }: FollowerOptions): Follower {
  let start: EnginePosition | undefined
  let position: EnginePosition | undefined
  let pending: EngineFrame[] = []
  let isBehind = false
  let reading: Promise<void> | undefined

  return {
    receive(frame) {
      if (position !== undefined && isNext(frame, position)) return accept(frame)
      if (position !== undefined && !isAfter(frame, position)) return
      // Something lies before it: the history tells what.
      if (pending.length < MAX_PENDING_FRAMES) pending.push(frame)
      void catchUp()
    },
    catchUp,
    start: () => start,
    position: () => position,
  }

  function catchUp(): Promise<void> {
    isBehind = true
    return (reading ??= readOn())
  }

  async function readOn(): Promise<void> {
    while (isBehind) {
      isBehind = false
      const page = await read(position)
      if (page !== undefined) take(page)
    }
    reading = undefined // here and not after the promise: between the two a message may want another reading
  }

  function take({ head, frames, isComplete }: StreamPage): void {
    start ??= head
    position ??= head
    if (!isComplete) isBehind = true
    // Up to here all is known; what the last page does not reach is not waited for.
    const end = isComplete ? head : (frames.at(-1) ?? head)
    const isKnown = (frame: EngineFrame): boolean => !isBehind || !isAfter(frame, end)
    const waiting = [...frames, ...pending].toSorted((a, b) => (isAfter(a, b) ? 1 : -1))
    pending = waiting.filter((frame) => !isKnown(frame))
    for (const frame of waiting) if (isKnown(frame) && isAfter(frame, position)) accept(frame)
    if (!isBehind && isAfter(head, position)) position = head
  }

  function accept(frame: EngineFrame): void {
    position = { epoch: frame.epoch, offset: frame.offset }
    deliver(frame)
  }
}
