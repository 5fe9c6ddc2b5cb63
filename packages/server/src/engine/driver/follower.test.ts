import type { EngineFrame, EnginePosition } from '../engine.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Follower, isAfter, ORIGIN, type StreamPage } from './follower.ts'

const PAGE_SIZE = 3

describe('Follower', () => {
  it('begins at the end of the stream', async () => {
    const stream = createStream()
    stream.publish()
    await stream.follower.catchUp()
    const next = stream.publish()
    stream.follower.receive(next)
    expect(stream.delivered).toEqual([next])
  })

  it('reads what was lost on the way, page by page, before it goes on', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const frames = Array.from({ length: 3 * PAGE_SIZE }, () => stream.publish())
    stream.follower.receive(stream.last())
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual(frames)
  })

  it('drops what it has seen', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const frame = stream.publish()
    stream.follower.receive(frame)
    stream.follower.receive(frame)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([frame])
  })

  it('reads the end of one epoch before the next', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const lost = stream.publish()
    stream.beginEpoch()
    const first = stream.publish()
    stream.follower.receive(first)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([lost, first])
  })

  it('goes on behind a hole that the history no longer fills', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    stream.publish()
    stream.forget()
    const kept = stream.publish()
    stream.follower.receive(kept)
    await stream.follower.catchUp()
    const next = stream.publish()
    stream.follower.receive(next)
    expect(stream.delivered).toEqual([kept, next])
  })

  it('keeps what it heard when the history is gone before it could be read', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const first = stream.publish()
    stream.forget()
    stream.follower.receive(first)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([first])
  })

  it('tells what it heard of a lost epoch before it tells the next', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const first = stream.publish()
    stream.forget()
    stream.beginEpoch()
    const second = stream.publish()
    stream.follower.receive(first)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([first, second])
  })

  it('delivers everything once and in order, whatever is lost, doubled or late', async () => {
    const step = fc.constantFrom('heard', 'lost', 'twice', 'late', 'epoch', 'answer', 'reconnect')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const stream = createStream()
        await stream.follower.catchUp()
        const late: EngineFrame[] = []
        for (const name of steps) {
          if (name === 'epoch') stream.beginEpoch()
          if (name === 'answer') await Promise.resolve()
          if (name === 'reconnect') void stream.follower.catchUp()
          if (name === 'lost') stream.publish()
          if (name === 'late') late.push(stream.publish())
          if (name === 'heard' || name === 'twice') stream.follower.receive(stream.publish())
          if (name === 'twice') stream.follower.receive(stream.last())
        }
        for (const frame of late) stream.follower.receive(frame)
        await stream.follower.catchUp()
        expect(stream.delivered).toEqual(stream.published)
      }),
    )
  })

  it('delivers all it hears once and in order when the history gets lost as well', async () => {
    const step = fc.constantFrom('heard', 'lost', 'forget', 'epoch', 'answer')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const stream = createStream()
        await stream.follower.catchUp()
        const heard: EngineFrame[] = []
        for (const name of steps) {
          if (name === 'epoch') stream.beginEpoch()
          if (name === 'answer') await Promise.resolve()
          if (name === 'forget') stream.forget()
          if (name === 'lost') stream.publish()
          if (name === 'heard') {
            heard.push(stream.publish())
            stream.follower.receive(stream.last())
          }
        }
        await stream.follower.catchUp()
        expect(heard.filter((frame) => !stream.delivered.includes(frame))).toEqual([])
        expect(stream.delivered).toEqual(stream.published.filter((frame) => stream.delivered.includes(frame)))
      }),
    )
  })
})

/** A stream with its history in memory, and a follower of it. */
function createStream() {
  const published: EngineFrame[] = []
  const delivered: EngineFrame[] = []
  let history: EngineFrame[] = []
  let head: EnginePosition = ORIGIN
  let epoch = 1

  const read = async (position: EnginePosition | undefined): Promise<StreamPage> => {
    const rest = position === undefined ? [] : history.filter((frame) => isAfter(frame, position))
    const frames = rest.slice(0, PAGE_SIZE)
    const page = { head, frames, isComplete: frames.length < PAGE_SIZE }
    await Promise.resolve() // the answer is on its way while messages come in
    return page
  }
  return {
    published,
    delivered,
    follower: new Follower({ read, deliver: (frame) => delivered.push(frame) }),
    publish(): EngineFrame {
      const offset = head.epoch === String(epoch) ? head.offset + 1 : 1
      const frame = { stream: 'lobby', epoch: String(epoch), offset, data: `${published.length}` }
      head = { epoch: frame.epoch, offset }
      published.push(frame)
      history.push(frame)
      return frame
    },
    last(): EngineFrame {
      const frame = published.at(-1)
      if (frame === undefined) throw new Error('nothing is published')
      return frame
    },
    beginEpoch(): void {
      epoch += 1
    },
    forget(): void {
      history = []
    },
  }
}
