import { describe, expectTypeOf, it } from 'vitest'
import type { Peer, Presence } from './peer.ts'

describe('presence', () => {
  it('is of the type that was told when joining', async () => {
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
  })
})
