import type { EngineFrame, EnginePosition } from '../engine.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Follower, isAfter, ORIGIN, type StreamPage } from './follower.ts'

const PAGE_SIZE = 3

describe('Follower', () => {
  it('starts at the end of the stream', async () => {
    const stream = createStream()
    stream.publish()
    await stream.follower.catchUp()
    const next = stream.publish()
    stream.follower.receive(next)
    expect(stream.delivered).toEqual([next])
  })

  it('reads lost frames page by page before it continues', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const frames = Array.from({ length: 3 * PAGE_SIZE }, () => stream.publish())
    stream.follower.receive(stream.last())
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual(frames)
  })

  it('drops duplicate frames', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const frame = stream.publish()
    stream.follower.receive(frame)
    stream.follower.receive(frame)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([frame])
  })

  it('reads the rest of an epoch before the next one', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const lost = stream.publish()
    stream.beginEpoch()
    const first = stream.publish()
    stream.follower.receive(first)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([lost, first])
  })

  it('continues after a gap that the history no longer contains', async () => {
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

  it('delivers a received frame if the history is deleted before it is read', async () => {
    const stream = createStream()
    await stream.follower.catchUp()
    const first = stream.publish()
    stream.forget()
    stream.follower.receive(first)
    await stream.follower.catchUp()
    expect(stream.delivered).toEqual([first])
  })

  it('delivers a received frame of a lost epoch before the next epoch', async () => {
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

  it('delivers every frame once and in order if frames are lost, duplicated or late', async () => {
    const step = fc.constantFrom('received', 'lost', 'twice', 'late', 'epoch', 'wait', 'reconnect')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const stream = createStream()
        await stream.follower.catchUp()
        const late: EngineFrame[] = []
        for (const name of steps) {
          if (name === 'epoch') stream.beginEpoch()
          if (name === 'wait') await Promise.resolve()
          if (name === 'reconnect') void stream.follower.catchUp()
          if (name === 'lost') stream.publish()
          if (name === 'late') late.push(stream.publish())
          if (name === 'received' || name === 'twice') stream.follower.receive(stream.publish())
          if (name === 'twice') stream.follower.receive(stream.last())
        }
        for (const frame of late) stream.follower.receive(frame)
        await stream.follower.catchUp()
        expect(stream.delivered).toEqual(stream.published)
      }),
    )
  })

  it('delivers every received frame once and in order if the history is lost, too', async () => {
    const step = fc.constantFrom('received', 'lost', 'forget', 'epoch', 'wait')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const stream = createStream()
        await stream.follower.catchUp()
        const received: EngineFrame[] = []
        for (const name of steps) {
          if (name === 'epoch') stream.beginEpoch()
          if (name === 'wait') await Promise.resolve()
          if (name === 'forget') stream.forget()
          if (name === 'lost') stream.publish()
          if (name === 'received') {
            received.push(stream.publish())
            stream.follower.receive(stream.last())
          }
        }
        await stream.follower.catchUp()
        expect(received.filter((frame) => !stream.delivered.includes(frame))).toEqual([])
        expect(stream.delivered).toEqual(stream.published.filter((frame) => stream.delivered.includes(frame)))
      }),
    )
  })
})

/** Creates a stream with an in-memory history, and a follower of it. */
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
    await Promise.resolve() // messages arrive while the response is pending
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
