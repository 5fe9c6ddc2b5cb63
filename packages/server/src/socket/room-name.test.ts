import { describe, expect, it } from 'vitest'
import type { Peer } from '../define/peer.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, messages, of, settle, silent } from './hub.test.fixture.ts'

describe('a room that a client names', () => {
  it.each(['sdk:live', 'sdk:cancelled', 'sdk presence lobby'])(
    'cannot be the stream %s of the server',
    async (name) => {
      const engine = memoryEngine({ log: silent })
      const published: string[] = []
      await engine.subscribe(name, ({ data }) => void published.push(data))
      const socket: AnySocketDefinition = {
        message: (peer: Peer, isJoin: unknown) => (isJoin === true ? peer.join(name) : peer.publish(name, 'forged')),
      }
      const { hub, sdk } = createTestHub(socket, { engine })
      const line = sdk()
      await line.hello()
      line.send(m(1, true), m(2, false))
      await settle()
      await engine.publish(name, '"internal"')
      await settle()
      expect([messages(line), published]).toEqual([[], ['"internal"']])
      expect(of(line, 'e')).toMatchObject([
        { i: 1, status: 403 },
        { i: 2, status: 403 },
      ])
      await expect(hub.publish(name, 'forged')).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await expect(hub.disconnect(name)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    },
  )

  it('can have the word sdk in its name', async () => {
    const { hub, sdk } = createTestHub({ open: (peer: Peer) => peer.join('sdk lovers') })
    const line = sdk()
    await line.hello()
    await hub.publish('sdk lovers', 'hi')
    await settle()
    expect(messages(line)).toEqual(['hi'])
  })
})
