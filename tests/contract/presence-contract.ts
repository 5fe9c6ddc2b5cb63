import { createApp, createRouter, createSocket, type Engine, type EngineMember } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { expect, it } from 'vitest'
import { newStream } from './listen.ts'

/** The contract of presence, for two engines that share it. */
export function presenceContract(openPair: () => readonly [Engine, Engine]): void {
  const open = (): readonly [Engine['presence'], Engine['presence']] => {
    const [one, two] = openPair()
    return [one.presence, two.presence]
  }

  it('lists the members of a room, sorted by id', async () => {
    const [one, two] = open()
    const [room, other] = [newStream(), newStream()]
    expect(await one.list(room)).toEqual([])
    await one.join(room, member('b'))
    await two.join(room, member('c'))
    await one.join(room, member('a'))
    await two.join(other, member('d'))
    for (const presence of [one, two]) {
      expect(await presence.list(room)).toEqual(['a', 'b', 'c'].map((id) => member(id)))
      expect(await presence.list(other)).toEqual([member('d')])
    }
  })

  it('returns the last data of a member', async () => {
    const [one, two] = open()
    const room = newStream()
    await one.join(room, member('ada', '{"mood":"well"}'))
    await one.join(room, member('ada', '{"mood":"busy"}'))
    expect(await two.list(room)).toEqual([member('ada', '{"mood":"busy"}')])
  })

  it('removes only members that left', async () => {
    const [one, two] = open()
    const room = newStream()
    await Promise.all(['ada', 'grace'].map((id) => one.join(room, member(id))))
    await one.leave(room, 'ada')
    await one.leave(room, 'ada')
    await one.leave(newStream(), 'grace')
    expect(await two.list(room)).toEqual([member('grace')])
    await one.leave(room, 'grace')
    expect(await two.list(room)).toEqual([])
    await one.join(room, member('ada'))
    expect(await two.list(room)).toEqual([member('ada')])
  })

  it('applies joins and leaves in order', async () => {
    const [one, two] = open()
    const room = newStream()
    const steps = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? one.join(room, member('ada', `${index}`)) : one.leave(room, 'ada'),
    )
    await Promise.all([...steps, one.join(room, member('ada', '"last"'))])
    expect(await two.list(room)).toEqual([member('ada', '"last"')])
  })

  it('accepts many concurrent members with any id', async () => {
    const [one, two] = open()
    const room = `${newStream()} {a}:*}`
    const ids = Array.from({ length: 500 }, (_, index) => `${index} ü🙂\0{}`)
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? one : two).join(room, member(id, `"${id}" 1 2`))))
    const expected = ids.toSorted((a, b) => (a < b ? -1 : 1)).map((id) => member(id, `"${id}" 1 2`))
    expect(await one.list(room)).toEqual(expected)
  })

  it('lists in one process the members that are connected to another', async () => {
    const [one, two] = openPair()
    const room = newStream()
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const router = createRouter()
      .on('GET /api/online', async (ctx) => (await ctx.presence(room)).map(({ data }) => data))
      .socket('/ws/chat', createSocket({ open: (peer) => peer.join(room, { presence: peer.query }) }))
    const [here, there] = [
      await testApp(createApp({ router, engine: one, log })),
      await testApp(createApp({ router, engine: two, log })),
    ]
    const ada = await here.socket('/ws/chat?name=Ada')
    await expect.poll(() => there.call('GET /api/online')).toEqual([{ name: 'Ada' }])
    await ada.close()
    await expect.poll(() => there.call('GET /api/online')).toEqual([])
    await Promise.all([here.close(), there.close()])
  })

  it('separates rooms from streams and values of the same name', async () => {
    const [engine] = openPair()
    const name = newStream()
    await engine.presence.join(name, member('ada'))
    await engine.publish(name, 'hello')
    await engine.kv.set(name, 'tea')
    await engine.sequence.set(name, 3)
    expect(await engine.presence.list(name)).toEqual([member('ada')])
    expect([await engine.kv.get(name), await engine.sequence.get(name)]).toEqual(['tea', 3])
  })
}

/** Additional guarantees of engines on one Redis. */
export function sharedPresenceContract(open: () => Engine): void {
  it('returns the latest data of a member that moved to another engine', async () => {
    const [one, two, three] = [open(), open(), open()]
    const room = newStream()
    for (const [engine, data] of [
      [one, '"here"'],
      [two, '"there"'],
      [one, '"back"'],
      [two, '"there"'],
    ] as const) {
      // Wait for the next millisecond.
      const join = async (): Promise<EngineMember[]> => {
        await engine.presence.join(room, member('ada', data))
        return three.presence.list(room)
      }
      await expect.poll(join).toEqual([member('ada', data)])
    }
    await one.presence.leave(room, 'ada')
    expect(await three.presence.list(room)).toEqual([member('ada', '"there"')])
    await two.presence.leave(room, 'ada')
    expect(await three.presence.list(room)).toEqual([])
  })

  it('leaves all rooms when it closes', async () => {
    const [leaving, staying] = [open(), open()]
    const [room, other] = [newStream(), newStream()]
    await leaving.presence.join(room, member('ada'))
    await leaving.presence.join(other, member('ada'))
    await staying.presence.join(room, member('grace'))
    await leaving.close()
    expect(await staying.presence.list(room)).toEqual([member('grace')])
    expect(await staying.presence.list(other)).toEqual([])
  })
}

function member(id: string, data = '{}'): EngineMember {
  return { id, data }
}
