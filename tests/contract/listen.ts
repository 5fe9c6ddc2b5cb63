import { once } from 'node:events'
import type { Engine, EngineFrame, EngineSubscription } from '@sdk/server'
import { expect } from 'vitest'

/** What was heard of a stream. */
export interface Ears extends EngineSubscription {
  readonly frames: readonly EngineFrame[]
  data(): string[]
  /** Waits until a message was heard. */
  until(data: string): Promise<void>
}

/** Subscribes, and keeps what it hears. */
export async function listen(engine: Engine, stream: string): Promise<Ears> {
  const frames: EngineFrame[] = []
  const heard = new EventTarget()
  const subscription = await engine.subscribe(stream, (frame) => {
    frames.push(frame)
    heard.dispatchEvent(new Event('frame'))
  })
  return {
    ...subscription,
    frames,
    data: () => frames.map((frame) => frame.data),
    async until(data) {
      while (!frames.some((frame) => frame.data === data)) await once(heard, 'frame')
    },
  }
}

/** Nothing is missing between the first frame and the last. */
export function expectContiguous(frames: readonly EngineFrame[]): void {
  const [first] = frames
  expect(frames.map(({ epoch, offset }) => [epoch, offset])).toEqual(
    frames.map((_, index) => [first?.epoch, (first?.offset ?? 0) + index]),
  )
}

let streams = 0

/** A name nobody else uses. */
export function newStream(): string {
  streams += 1
  return `stream ${streams}`
}
