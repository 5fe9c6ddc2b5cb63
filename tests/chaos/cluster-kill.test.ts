import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { enginesOf } from './cluster/arena.ts'
import { type Fleet, startFleet, untilReady } from './cluster/fleet.ts'
import { choose } from './mode.ts'

type Frame = Record<string, unknown> & { readonly o: string }

describe.each(enginesOf('postgresEngine'))('one of two processes that is killed on the $name', (driver) => {
  it('lets its client resume on the other process with a gap, without waiting for a timeout', async () => {
    await withFleet(await driver.start(), async (fleet) => {
      const [one = 0, two = 0] = fleet.ports
      const first = await connect(one, { o: 'hi', v: 1, sid: null, rx: 0, pos: {} })
      const { sid } = first.first('ok')
      first.send({ o: 'm', i: 1, d: { n: 1, by: 'ada' } })
      await expect.poll(() => first.frames.some(({ o }) => o === 'a')).toBe(true)
      await fleet.kill(0)
      const next = await connect(two, { o: 'hi', v: 1, sid, rx: 1, pos: {} })
      expect(next.first('ok')).toMatchObject({ res: true, ack: 1 })
      // A message of the killed process may be lost.
      expect(next.first('gap')).toEqual({ o: 'gap', from: 1, to: 1 })
      // A running process has three seconds to respond.
      expect(next.waited).toBeLessThan(choose(3_000, 30_000))
    })
  })
})

interface Client {
  readonly frames: readonly Frame[]
  send(frame: Frame): void
  first(o: string): Frame
  /** Milliseconds until it was connected. */
  readonly waited: number
}

/** Connects. Resolves when the client has joined its room. */
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
  await expect.poll(() => frames.some(({ o }) => o === 'at')).toBe(true)
  return {
    frames,
    waited,
    send: (frame) => socket.send(JSON.stringify(frame)),
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
