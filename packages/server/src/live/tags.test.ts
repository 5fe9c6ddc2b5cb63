import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApp,
  createResource,
  createRouter,
  memoryEngine,
  memoryStore,
  type ResourceShape,
  type Store,
} from '../index.ts'
import { testApp } from '../testing.ts'
import { silent } from './live-app.test.fixture.ts'
import { LiveClient } from './live-client.test.fixture.ts'

function createCounter() {
  const state = { count: 0, isBroken: false }
  const router = createRouter()
    .on('GET /api/stats', (ctx) => {
      ctx.reads('stats', 'other')
      if (state.isBroken) throw new Error('broken')
      return { count: state.count, user: ctx.auth?.session.userId ?? null }
    })
    .on('GET /api/plain', () => ({ count: state.count }))
    .on('GET /api/response', (ctx) => {
      ctx.reads('stats')
      return new Response('a')
    })
    .on('GET /api/stream', async function* (ctx) {
      ctx.reads('stats')
      yield 1
    })
    .on('POST /api/recount', async (ctx) => {
      state.count += 1
      await ctx.touch('stats')
      return null
    })
  return { state, router }
}

describe('routes with tags', () => {
  it('are run again after the commit if ctx.touch is called in a transaction', async () => {
    const { state, router } = createCounter()
    let listeners: (() => void)[] | null = null
    const store = (shape: ResourceShape): Store => ({
      ...memoryStore()(shape),
      async transaction(work) {
        listeners = []
        const result = await work(async () => [])
        for (const listener of listeners.splice(0)) listener()
        listeners = null
        return result
      },
      currentTransaction: () => listeners && { afterCommit: (listener) => void listeners?.push(listener) },
    })
    const tasks = createResource('tasks', { schema: z.object({ title: z.string() }), store, access: 'public' })
    const api = router.resource('v1', tasks).on('POST /api/transaction', (ctx) =>
      ctx.transaction(async () => {
        await ctx.touch('stats')
        await new Promise((resolve) => setTimeout(resolve, 60))
        state.count = 1 // the commit
        return null
      }),
    )
    const app = await testApp(createApp({ log: silent, router: api }))
    const client = await LiveClient.open(app)
    const stats = await client.subscribe('GET /api/stats')
    await app.call('POST /api/transaction')
    await client.until(() => (stats.data as { count: number }).count === 1)
    expect(listeners).toBeNull()
  })

  it('are run again after ctx.touch in another process', async () => {
    const engine = memoryEngine()
    const { state, router } = createCounter()
    const here = await testApp(createApp({ log: silent, engine, router }))
    const there = await testApp(createApp({ log: silent, engine, router }))
    const client = await LiveClient.open(here)
    const stats = await client.subscribe('GET /api/stats')
    expect(stats.data).toEqual({ count: 0, user: null })
    await there.call('POST /api/recount')
    await client.until(() => (stats.data as { count: number }).count === 1)
    state.count = 5
    await there.touch('other')
    await client.until(() => (stats.data as { count: number }).count === 5)
    state.count = 6
    await there.touch('unknown')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(stats.data).toEqual({ count: 5, user: null })
    await client.sync(stats)
    expect(stats.data).toEqual({ count: 6, user: null })
    await here.close()
    await there.close()
  })

  it('are run for each caller, and end with the error of the route', async () => {
    const { state, router } = createCounter()
    const app = await testApp(createApp({ log: silent, router }))
    const ada = await LiveClient.open(app.as({ name: 'ada' }))
    const bob = await LiveClient.open(app.as({ name: 'bob' }))
    const lists = [await ada.subscribe('GET /api/stats'), await bob.subscribe('GET /api/stats')]
    expect(lists.map(({ data }) => (data as { user: string }).user)).toEqual(['ada', 'bob'])
    state.isBroken = true
    await app.touch('stats')
    await ada.until(() => lists.every(({ error }) => error?.status === 500))
    await app.close()
  })

  it.each(['plain', 'response', 'stream'])('must return JSON and call ctx.reads: %s', async (name) => {
    const { router } = createCounter()
    const app = await testApp(createApp({ log: silent, router }))
    const client = await LiveClient.open(app)
    const { error } = await client.subscribe(`GET /api/${name}`)
    expect(error).toMatchObject({ status: 400, error: { code: 'NOT_LIVE' } })
    await app.close()
  })

  it('do not delay others if a handler does not return', async () => {
    const state = { count: 0 }
    const never = new Promise<never>(() => {})
    const router = createRouter()
      .on('GET /api/slow', async (ctx) => {
        ctx.reads('slow')
        return state.count === 0 ? 0 : never
      })
      .on('GET /api/fast', (ctx) => {
        ctx.reads('fast')
        return state.count
      })
    const app = await testApp(createApp({ log: silent, router }))
    const client = await LiveClient.open(app)
    for (let count = 0; count < 5; count += 1) await client.subscribe('GET /api/slow', { query: { count } })
    const fast = await client.subscribe('GET /api/fast')
    state.count = 1
    await app.touch('slow')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await app.touch('fast')
    await client.until(() => fast.data === 1, 5_000)
    state.count = 2
    await app.touch('slow', 'fast')
    await client.until(() => fast.data === 2, 8_000)
    expect(fast.error).toBeNull()
    await app.close()
  })

  it('are checked again at the interval of the checks', async () => {
    const { state, router } = createCounter()
    const plain = createApp({ log: silent, router })
    plain['~live'].settings.checkMs = 100
    const app = await testApp(plain)
    const client = await LiveClient.open(app)
    const stats = await client.subscribe('GET /api/stats')
    state.count = 3
    await client.until(() => (stats.data as { count: number }).count === 3, 1_000)
    expect(stats.error).toBeNull()
    await app.close()
  })
})
