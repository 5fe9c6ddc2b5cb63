import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app/app.ts'
import type { Context } from '../context/context.ts'
import type { ContextTransactionOptions } from '../context/transaction.ts'
import { createResource } from '../define/resource.ts'
import { relate } from '../define/relate.ts'
import type { ResourceShape, Store } from '../define/store.ts'
import { createRouter } from '../define/router.ts'
import type { Middleware } from '../define/middleware.ts'
import type { SessionMiddleware } from '../define/session-middleware.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { createLog } from '../log/log.ts'
import { testApp } from '../testing.ts'
import { memoryStore } from './memory-store.ts'

const schema = z.object({ title: z.string() })

/** A custom store with transactions, of which it runs one at a time. */
function customStore(events: string[]): (shape: ResourceShape) => Store {
  return (shape) => {
    let listeners: (() => void)[] | null = null
    return {
      ...memoryStore()(shape),
      async transaction(work, options) {
        events.push(`begin ${JSON.stringify(options)}`)
        listeners = []
        const result = await work(async (sql) => [{ sql }] as never)
        events.push('commit')
        const committed = listeners
        listeners = null
        for (const listener of committed) listener()
        return result
      },
      currentTransaction: () => listeners && { afterCommit: (listener) => void listeners?.push(listener) },
    }
  }
}

function define() {
  const events: string[] = []
  const on = { created: ({ title }: { title: string }) => void events.push(`created ${title}`) }
  return {
    events,
    memory: createResource('memory', { schema, store: memoryStore(), access: 'public' }),
    first: createResource('first', { schema, store: customStore(events), access: 'public', on }),
    second: createResource('second', { schema, store: customStore(events), access: 'public', on }),
  }
}

type Definitions = ReturnType<typeof define>

async function run(work: (ctx: Context, definitions: Definitions) => Promise<unknown>, only?: 'memory') {
  const definitions = define()
  const { memory, first, second } = definitions
  const small = createRouter().resource('v1', memory)
  const router = only === 'memory' ? small : small.resource('v1', first).resource('v1', second)
  let thrown: unknown
  const api = router.on('POST /api/work', (ctx) =>
    work(ctx as Context, definitions).catch((error: unknown) => {
      thrown = error
      throw error
    }),
  )
  const app = await testApp(createApp({ router: api, log: createLog({ write() {} }) }))
  const result: unknown = await app.call('POST /api/work', {}).catch(() => thrown)
  await app.close()
  return { result, events: definitions.events }
}

describe('ctx.transaction', () => {
  it('begins in the first store with transactions, and emits changes after the commit', async () => {
    const { result, events } = await run((ctx, { first }) =>
      ctx.transaction(
        async (tx) => {
          await tx.rows(first).create({ title: 'a' })
          await ctx.rows(first).create({ title: 'b' })
          await tx.rows(first).update(1, { title: 'c' })
          return tx.query('select 1')
        },
        { isolation: 'serializable', timeout: 100 },
      ),
    )
    expect(result).toEqual([{ sql: 'select 1' }])
    expect(events).toEqual(['begin {"isolation":"serializable","timeout":100}', 'commit', 'created a', 'created b'])
  })

  it('reads the user before it begins, since its connection may be the only one', async () => {
    const events: string[] = []
    const tasks = createResource('tasks', {
      schema,
      store: customStore(events),
      access: ({ user }) => user?.name === 'Ada',
    })
    const session: SessionMiddleware = Object.assign(((_ctx, next) => next()) satisfies Middleware, {
      authenticate: () => Promise.resolve(toAuth(events)),
      trusts: () => true,
    })
    const router = createRouter()
      .use('/api/*', session)
      .resource('v1', tasks)
      .on('POST /api/work', (ctx) => ctx.transaction((tx) => tx.rows(tasks).create({ title: 'a' })))
    const app = createApp({ router, log: createLog({ write() {} }) })
    const init = { method: 'POST', headers: { authorization: 'Bearer ada' } }
    expect((await app.fetch(new Request('http://localhost/api/work', init))).status).toBe(200)
    expect(events).toEqual(['user', 'begin {}', 'commit'])
    await app.close()
  })

  it('begins in the store of the given resource', async () => {
    const { events } = await run((ctx, { second }) => {
      const options: ContextTransactionOptions = { resource: second }
      return ctx.transaction((tx) => tx.rows(second).create({ title: 'a' }), options)
    })
    expect(events).toEqual(['begin {}', 'commit', 'created a'])
  })

  it('refuses the rows of stores that are not part of it, by name', async () => {
    const memory = await run((ctx, all) => ctx.transaction(async (tx) => tx.rows(all.memory).list()))
    expect(String(memory.result)).toBe(
      'TypeError: tx.rows(memory): memory cannot be part of the transaction: its store does not support transactions; ' +
        'use table() or drizzleTable() from @sdk/database',
    )
    const other = await run((ctx, { second }) => ctx.transaction(async (tx) => tx.rows(second).list()))
    expect(String(other.result)).toContain(
      'tx.rows(second): second cannot be part of the transaction: it is in another',
    )
    const unknown = createResource('unknown', { schema, store: memoryStore(), access: 'public' })
    const stray = await run((ctx) => ctx.transaction(async (tx) => tx.rows(unknown).list()))
    expect(String(stray.result)).toContain('ctx.rows(unknown): unknown is not mounted')
  })

  it('recognizes a resource that is mounted with relations', async () => {
    const { events, memory, second } = define()
    const results: unknown[] = []
    const router = createRouter()
      .resource('v1', relate(memory, {}))
      .resource('v1', relate(second, {}))
      .on('POST /api/work', async (ctx) => {
        await ctx.transaction((tx) => tx.rows(second).create({ title: 'a' }), { resource: second })
        results.push(await ctx.transaction((tx) => tx.rows(memory).create({ title: 'b' })).catch(String))
      })
    const app = await testApp(createApp({ router, log: createLog({ write() {} }) }))
    await app.call('POST /api/work', {})
    expect(events.slice(0, 2)).toEqual(['begin {}', 'commit'])
    expect(results).toEqual([expect.stringContaining('memory cannot be part of the transaction')])
    expect(await app.call('GET /api/v1/memory')).toMatchObject({ data: [] })
    await app.close()
  })

  it('refuses an app without a store that has transactions', async () => {
    const { result } = await run((ctx) => ctx.transaction(() => Promise.resolve()), 'memory')
    expect(String(result)).toBe(
      'TypeError: ctx.transaction needs a mounted resource whose store supports transactions, such as table() from ' +
        '@sdk/database, got memory: mount one, or use database.transaction',
    )
  })
})

function toAuth(events: string[]): RequestAuth {
  const long = '2000-01-01T00:00:00.000Z'
  const profile = { email: 'ada@example.test', emailVerified: true, image: null, createdAt: long, updatedAt: long }
  return {
    via: 'bearer',
    session: { id: 'session', userId: 'ada', expiresAt: '2099-01-01T00:00:00.000Z' },
    getUser() {
      events.push('user')
      return Promise.resolve({ id: 'ada', name: 'Ada', ...profile })
    },
  }
}
