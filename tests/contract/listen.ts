import { once } from 'node:events'
import type { Engine, EngineFrame, EngineSubscription } from '@sdk/server'
import { expect } from 'vitest'

/** The received messages of a stream. */
export interface Subscriber extends EngineSubscription {
  readonly frames: readonly EngineFrame[]
  data(): string[]
  /** Waits until a message has arrived. */
  until(data: string): Promise<void>
}

/** Subscribes and records the messages. */
export async function listen(engine: Engine, stream: string): Promise<Subscriber> {
  const frames: EngineFrame[] = []
  const events = new EventTarget()
  const subscription = await engine.subscribe(stream, (frame) => {
    frames.push(frame)
    events.dispatchEvent(new Event('frame'))
  })
  return {
    ...subscription,
    frames,
    data: () => frames.map((frame) => frame.data),
    async until(data) {
      while (!frames.some((frame) => frame.data === data)) await once(events, 'frame')
    },
  }
}

/** Expects that no frame is missing between the first and the last. */
export function expectContiguous(frames: readonly EngineFrame[]): void {
  const [first] = frames
  expect(frames.map(({ epoch, offset }) => [epoch, offset])).toEqual(
    frames.map((_, index) => [first?.epoch, (first?.offset ?? 0) + index]),
  )
}

let streams = 0

/** Returns a unique name. */
export function newStream(): string {
  streams += 1
  return `stream ${streams}`
}
