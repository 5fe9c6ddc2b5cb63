import { describe, expect, it, vi } from 'vitest'
import { createApp, createLog, createRouter, type App } from '../index.ts'
import { createWorker } from './create-worker.ts'

const router = createRouter()
  .on('GET /api/status', () => 'ok')
  .on('GET /api/later', (ctx) => {
    ctx.waitUntil(Promise.resolve())
    return 'now'
  })
  .on('GET /api/stream', async function* () {
    yield await Promise.resolve(1)
  })

function setUp(source: (env: object) => App = () => createApp({ router, log: createLog({ level: 'silent' }) })) {
  const work: Promise<unknown>[] = []
  const objects: string[] = []
  const namespace = {
    idFromName: (name: string) => name,
    get: (name: string) => ({ fetch: () => Promise.resolve(new Response(`object ${objects.push(name)}`)) }),
  }
  const ctx = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
  return { work, objects, namespace, ctx, source }
}

const webSocket = { headers: { upgrade: 'websocket' } }

describe('createWorker', () => {
  it('creates the app once, from the bindings', async () => {
    const { ctx, source } = setUp()
    const create = vi.fn<typeof source>(source)
    const worker = createWorker(create)
    for (let i = 0; i < 2; i++) await worker.fetch(new Request('http://localhost/api/status'), { NAME: 'x' }, ctx)
    expect(create.mock.calls).toEqual([[{ NAME: 'x' }]])
  })

  it('passes WebSockets to the object `main`, and other requests as objectFor decides', async () => {
    const { ctx, source, namespace, objects } = setUp()
    const env = { SOCKETS: namespace, GAMES: namespace }
    const worker = createWorker(source)
    const response = await worker.fetch(new Request('http://localhost/ws/chat', webSocket), env, ctx)
    expect([await response.text(), objects]).toEqual(['object 1', ['main']])
    expect(await (await worker.fetch(new Request('http://localhost/api/status'), env, ctx)).json()).toBe('ok')

    const games = createWorker(source, { binding: 'GAMES', objectFor: () => 'game' })
    await games.fetch(new Request('http://localhost/api/status'), env, ctx)
    expect(objects).toEqual(['main', 'game'])
  })

  it('answers with 501 if the binding is missing', async () => {
    const { ctx, source } = setUp()
    const response = await createWorker(source).fetch(new Request('http://localhost/ws/chat', webSocket), {}, ctx)
    expect([response.status, await response.json()]).toEqual([
      501,
      expect.objectContaining({ error: expect.any(Object) }),
    ])
  })

  it('waits for the response, for waitUntil and for streams', async () => {
    const { ctx, source, work } = setUp()
    const worker = createWorker(source)
    await worker.fetch(new Request('http://localhost/api/status'), {}, ctx)
    expect(work).toHaveLength(1)
    await worker.fetch(new Request('http://localhost/api/later'), {}, ctx)
    expect(work).toHaveLength(3)
    const stream = await worker.fetch(new Request('http://localhost/api/stream'), {}, ctx)
    expect(work).toHaveLength(5)
    expect(await stream.text()).toBe('1\n')
    await Promise.all(work)
  })
})
