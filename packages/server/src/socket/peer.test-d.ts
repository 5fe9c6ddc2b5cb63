import type { Peer } from '../define/peer.ts'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Context } from '../context/context.ts'
import type { Presence } from '../engine/list-presence.ts'
import { createSocket } from '../define/socket.ts'

describe('presence', () => {
  it('has the type of the presence that is passed to join', async () => {
    const peer = null as unknown as Peer
    await peer.join('lobby', {
      presence: { name: 'Ada' },
      onPresence: (people) => expectTypeOf(people).toEqualTypeOf<readonly Presence<{ name: string }>[]>(),
    })
    await peer.join('lobby', {
      onPresence: (people) => expectTypeOf(people).toEqualTypeOf<readonly Presence[]>(),
    })
    expectTypeOf(await peer.presence<{ name: string }>('lobby')).toEqualTypeOf<Presence<{ name: string }>[]>()
    expectTypeOf(await peer.presence('lobby')).toEqualTypeOf<Presence[]>()
    expectTypeOf<Context['presence']>().toEqualTypeOf<Peer['presence']>()
  })
})

describe('peer.data', () => {
  it('has the type that open returns, with any schemas', () => {
    const chat = createSocket({
      receive: z.object({ text: z.string() }),
      send: z.object({ from: z.string() }),
      async open(peer) {
        expectTypeOf(peer.data).toBeUnknown()
        await peer.join('lobby')
        return { name: 'Ada', seen: 0 }
      },
      message(peer, { text }) {
        expectTypeOf(text).toBeString()
        expectTypeOf(peer.data).toEqualTypeOf<{ name: string; seen: number }>()
        peer.data.seen += 1
        peer.send({ from: peer.data.name })
        // @ts-expect-error -- name is required
        peer.data = { seen: 1 }
      },
      close: (peer) => expectTypeOf(peer.data.name).toBeString(),
    })
    expectTypeOf(chat['~io']).toEqualTypeOf<{ send: { text: string }; receive: { from: string } }>()
    createSocket({
      open: ({ query }) => (query['room'] === undefined ? undefined : { room: query['room'] }),
      message: (peer) => expectTypeOf(peer.data).toEqualTypeOf<{ room: string } | undefined>(),
    })
  })

  it('is unknown if open returns nothing or is missing', () => {
    createSocket({
      async open(peer) {
        peer.data = 'Ada'
        await peer.join('lobby')
      },
      message(peer) {
        expectTypeOf(peer.data).toBeUnknown()
        peer.data = 7
      },
    })
    createSocket({ open: (peer) => peer.join('lobby'), close: (peer) => expectTypeOf(peer.data).toBeUnknown() })
    createSocket({ message: (peer) => expectTypeOf(peer.data).toBeUnknown() })
  })

  it('is compatible with a peer of unknown data', () => {
    expectTypeOf<Peer<string, { name: string }>>().toExtend<Peer<string>>()
  })
})
