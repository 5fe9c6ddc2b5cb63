import { describe, expect, it } from 'vitest'
import { createClient } from '../client.ts'
import { settle } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from '../socket/fake-web-socket.test.fixture.ts'

/** Returns a client without a network, whose server delivers these messages. */
function setUp() {
  const fake = createFakeWebSockets()
  const client = createClient({ baseUrl: 'http://x.dev', WebSocket: fake.WebSocket })
  let sent = 0
  const requests = (): { sub: number }[] =>
    fake
      .last()
      .messages()
      .map(({ d }) => d as { sub: number })
  return {
    client,
    requests,
    async welcome(): Promise<number> {
      await expect.poll(() => fake.sockets.length).toBe(1)
      await settle()
      fake.last().welcome()
      return requests()[0]?.sub ?? 0
    },
    deliver: (message: object) => fake.last().deliver({ o: 'm', i: ++sent, d: message }),
  }
}

describe('client.watch', () => {
  it('yields the newest data, and ends the subscription when the loop ends', async () => {
    const { client, welcome, deliver, requests } = setUp()
    const watched = client.watch('GET /api/tasks/:id', { params: { id: 7 }, query: { a: 1 } })
    const first = watched.next()
    const sub = await welcome()
    expect(requests()).toEqual([{ sub, route: 'GET /api/tasks/:id', params: { id: 7 }, query: { a: '1' } }])
    deliver({ sub, list: 'g1', v: 1, all: 'one', tag: 't' })
    expect(await first).toEqual({ value: 'one', done: false })
    deliver({ sub, list: 'g1', v: 2, all: 'two', tag: 't' })
    deliver({ sub, list: 'g1', v: 3, all: 'three', tag: 't' })
    expect(await watched.next()).toEqual({ value: 'three', done: false })
    await watched.return()
    expect(requests().at(-1)).toEqual({ end: sub })
  })

  it('throws the error of the server', async () => {
    const { client, welcome, deliver } = setUp()
    const first = client.watch('GET /api/stats').next()
    const sub = await welcome()
    deliver({ sub, status: 400, error: { code: 'NOT_LIVE', message: 'not live', details: [] } })
    await expect(first).rejects.toMatchObject({ code: 'NOT_LIVE', status: 400 })
  })

  it('throws the reason of the signal', async () => {
    const { client, welcome, requests } = setUp()
    const controller = new AbortController()
    const first = client.watch('GET /api/stats', {}, { signal: controller.signal }).next()
    const sub = await welcome()
    controller.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect(requests().at(-1)).toEqual({ end: sub })
    await expect(client.watch('GET /api/stats', {}, { signal: controller.signal }).next()).rejects.toThrow('enough')
  })
})
