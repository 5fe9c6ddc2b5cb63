import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { DRIVERS } from '../contract/drivers.ts'
import { type Fleet, startFleet, untilReady } from './cluster/fleet.ts'

type Frame = Record<string, unknown> & { readonly o: string }

describe.each(DRIVERS)('a process of two on the $name is killed', (driver) => {
  it('lets its client in elsewhere, and tells what it cannot know, without waiting for the dead', async () => {
    await withFleet(await driver.start(), async (fleet) => {
      const [one = 0, two = 0] = fleet.ports
      const first = await connect(one, { o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
      const { sid } = first.first('ok')
      first.say({ o: 'm', i: 1, d: { n: 1, by: 'ada' } })
      await expect.poll(() => first.frames.some(({ o }) => o === 'a')).toBe(true)
      await fleet.kill(0)
      const next = await connect(two, { o: 'hi', v: 1, sid, rx: 1, pos: {} })
      expect(next.first('ok')).toMatchObject({ res: true, ack: 1 })
      // It may have said something that was lost with it.
      expect(next.first('gap')).toEqual({ o: 'gap', from: 1, to: 1 })
      // One that lives has three seconds to answer.
      expect(next.waited).toBeLessThan(3_000)
    })
  })
})

interface Client {
  readonly frames: readonly Frame[]
  say(frame: Frame): void
  first(o: string): Frame
  /** Milliseconds until it was let in. */
  readonly waited: number
}

/** Settles when it was let in, and is in its room. */
async function connect(port: number, hi: Frame): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/talk?room=lobby`, 'sdk.v1')
  const frames: Frame[] = []
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send(JSON.stringify(hi))
  const started = performance.now()
  let waited = Infinity
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame
    if (frame.o === 'ok') waited = performance.now() - started
    frames.push(frame)
  })
  await expect.poll(() => frames.some(({ o }) => o === 'at'), { timeout: 20_000 }).toBe(true)
  return {
    frames,
    waited,
    say: (frame) => socket.send(JSON.stringify(frame)),
    first: (name) => frames.find(({ o }) => o === name) ?? { o: '' },
  }
}

async function withFleet(server: Service, work: (fleet: Fleet) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('killed')
  const notes = join(folder.path, 'notes')
  writeFileSync(notes, '')
  const fleet = await startFleet(2, { engine: server.url, notes, spread: 0 })
  try {
    await Promise.all(fleet.ports.map(untilReady))
    await work(fleet)
  } finally {
    await fleet.end()
    await server.stop()
    folder.remove()
  }
}
