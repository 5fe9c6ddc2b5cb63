import { ApiError } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp, type AppOptions } from '../app/app.ts'
import type { Context } from '../context/context.ts'
import { createAgent } from '../define/agent.ts'
import { createResource } from '../define/resource.ts'
import { createRouter } from '../define/router.ts'
import { createLog } from '../log/log.ts'
import { memoryStore } from '../resource/memory-store.ts'
import { testApp, type TestApp } from '../testing.ts'

type Probe = (ctx: Context) => unknown
type Settings = Pick<AppOptions<unknown, []>, 'rateLimit' | 'limits'> & { lines?: string[] }

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string() }),
  store: memoryStore(),
  access: 'public',
  filter: ['title'],
})

/** Opens an app whose route `POST /api/probe` runs `probe`. */
function open(probe: Probe, { lines = [], ...settings }: Settings = {}): Promise<TestApp> {
  const router = createRouter()
    .use('/api/guarded/*', (ctx, next) => {
      if (ctx.header('x-key') !== 'open') return Promise.resolve(new Response('closed', { status: 403 }))
      return next()
    })
    .resource('v1', tasks)
    .on('POST /api/probe', (ctx) => probe(ctx))
    .on('GET /api/headers', (ctx) => ({
      seen: Object.fromEntries(ctx.request.headers),
      method: ctx.request.method,
      key: ctx.header('idempotency-key'),
      ifMatch: ctx.header('If-Match'),
      accept: ctx.header('accept'),
      custom: ctx.header('x-custom'),
    }))
    .on('POST /api/body', async (ctx, input) => ({ input, text: await ctx.request.text() }))
    .on('POST /api/note', { input: z.object({ text: z.string() }), handler: (_ctx, { text }) => text.length })
    .on('GET /api/items/export', () => ({ all: true }))
    .on('GET /api/items/:id', (ctx) => ({ id: ctx.params.id }))
    .on('GET /api/guarded/a', () => 'open')
    .on('GET /api/text', { content: 'text/csv', handler: () => 'a,b' })
    .on('GET /api/bytes', { content: 'image/png', handler: () => new Uint8Array([1, 2]) as never })
    .on('GET /api/empty', { status: 204, handler: () => null })
    .on(
      'GET /api/events',
      () => new Response('data: {"n":1}\n\ndata: two\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    )
    .on('GET /api/loop', (ctx): Promise<unknown> => ctx.call('GET /api/loop'))
    .on('POST /api/sign-in', { rateLimit: 'auth', handler: () => 'in' })
    .on(
      'GET /api/wait',
      (ctx) =>
        new Promise((resolve) => {
          const { signal } = ctx
          signal.addEventListener('abort', () => resolve(`aborted: ${String(signal.reason)}`))
        }),
    )
  const durable = createAgent('report', { durable: true, handler: () => 1 })
  const log = createLog({ level: 'error', write: (line) => void lines.push(line) })
  return testApp(createApp({ router, agents: [durable], log, rateLimit: false, ...settings }))
}

async function run(probe: Probe, settings?: Settings): Promise<unknown> {
  const app = await open(probe, settings)
  try {
    return await app.call('POST /api/probe', undefined, {
      headers: { 'idempotency-key': 'a'.repeat(20), 'if-match': '"1"', 'x-custom': 'kept', accept: 'application/json' },
    })
  } finally {
    await app.close()
  }
}

/** Returns the message of the error that a call rejects with. */
const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (error: unknown) => String(error),
  )

describe('ctx.call of a route', () => {
  it('forwards the headers of the caller, but not those of the request', async () => {
    const result = (await run((ctx) => ctx.call('GET /api/headers'))) as { seen: object }
    expect(result).toMatchObject({ method: 'GET', key: null, ifMatch: null, accept: null, custom: 'kept' })
    expect(result.seen).toEqual({ 'x-custom': 'kept' })
  })

  it('sends the headers of its options', async () => {
    const headers = { 'If-Match': '"7"', 'X-Custom': 'own' }
    const result = await run((ctx) => ctx.call('GET /api/headers', { headers }))
    expect(result).toMatchObject({ ifMatch: '"7"', custom: 'own', seen: { 'if-match': '"7"', 'x-custom': 'own' } })
  })

  it('compares the version in If-Match', async () => {
    const failed = await run(async (ctx) => {
      const { id } = (await ctx.call('POST /api/v1/tasks', { title: 'Tea' })) as { id: number }
      const options = { params: { id }, headers: { 'if-match': '"other"' } }
      return messageOf(ctx.call('PATCH /api/v1/tasks/:id', { title: 'Ice' }, options))
    })
    expect(failed).toContain('ApiError')
    expect(failed).toContain('changed')
  })

  it('sends a payload as JSON, which the handler can also read from ctx.request', async () => {
    const payload = { text: 'tea', at: new Date(0) }
    const json = { text: 'tea', at: '1970-01-01T00:00:00.000Z' }
    expect(await run((ctx) => ctx.call('POST /api/body', payload))).toEqual({ input: json, text: JSON.stringify(json) })
  })

  it('accepts payloads that are larger than those of requests', async () => {
    const call: Probe = async (ctx) => ((await ctx.call('POST /api/body', 'a'.repeat(500))) as { input: string }).input
    expect(await run(call, { limits: { body: 100 } })).toHaveLength(500)
  })

  it('limits the bytes of what a model sends', async () => {
    const send: Probe = async (ctx) => {
      const { note } = await ctx.tools({ note: 'POST /api/note' })
      const texts = ['a'.repeat(89), 'a'.repeat(90), 'é'.repeat(44), 'é'.repeat(45)]
      return Promise.all(texts.map((text) => note.execute({ text })))
    }
    const error = { error: expect.objectContaining({ code: 'CONTENT_TOO_LARGE' }) as unknown }
    expect(await run(send, { limits: { body: 100 } })).toEqual([89, error, 44, error])
  })

  it('returns text, bytes, nothing and chunks', async () => {
    expect(await run((ctx) => ctx.call('GET /api/text'))).toBe('a,b')
    expect(await run((ctx) => ctx.call('GET /api/empty'))).toBeNull()
    const bytes = await run(async (ctx) => {
      const blob = (await ctx.call('GET /api/bytes')) as Blob
      return [blob.type, ...new Uint8Array(await blob.arrayBuffer())]
    })
    expect(bytes).toEqual(['image/png', 1, 2])
    const chunks = await run(async (ctx) => {
      const all: unknown[] = []
      for await (const chunk of (await ctx.call('GET /api/events')) as AsyncIterable<unknown>) all.push(chunk)
      return all
    })
    expect(chunks).toEqual([{ n: 1 }, 'two'])
  })

  it('runs the middleware of the path, whose Response becomes an error', async () => {
    const call: Probe = (ctx) => ctx.call('GET /api/guarded/a').catch((error: object) => ({ ...error }))
    expect(await run(call)).toMatchObject({ code: 'FORBIDDEN', status: 403 })
    expect(await run((ctx) => ctx.call('GET /api/guarded/a', { headers: { 'x-key': 'open' } }))).toBe('open')
  })

  it('does not reach another route by the value of a parameter', async () => {
    expect(await run((ctx) => ctx.call('GET /api/items/:id', { params: { id: 'a/b' } }))).toEqual({ id: 'a/b' })
    const failed = await run((ctx) => messageOf(ctx.call('GET /api/items/:id', { params: { id: 'export' } })))
    expect(failed).toContain('no route matches /api/items/export')
  })

  it.each([
    ['an unknown route', 'GET /api/item/:id', /no route is called "GET \/api\/item\/:id": did you mean/],
    ['a missing parameter', 'GET /api/items/:id', /needs params\.id/],
    ['a durable agent', 'POST /agent/report', /start it with ctx\.start/],
    ['a route for sign-in', 'POST /api/sign-in', /counts sign-in attempts/],
  ])('rejects %s with a TypeError', async (_name, route, message) => {
    const failed = await run((ctx) => messageOf(ctx.call(route)))
    expect(failed).toMatch(/^TypeError/)
    expect(failed).toMatch(message)
  })

  it('stops a route that calls itself, and logs the reason once', async () => {
    const lines: string[] = []
    const failed = await run((ctx) => messageOf(ctx.call('GET /api/loop')), { lines })
    expect(failed).toContain('Something went wrong')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('GET /api/loop cannot call GET /api/loop: calls may be nested 32 deep')
  })

  it('does not count toward rate limits', async () => {
    const call: Probe = async (ctx) => {
      for (let count = 0; count < 5; count++) await ctx.call('GET /api/text')
      return 'done'
    }
    expect(await run(call, { rateLimit: { default: { quota: 2, window: 60 } } })).toBe('done')
  })

  it('aborts with its own signal', async () => {
    const call: Probe = (ctx) => {
      const stop = new AbortController()
      setImmediate(() => stop.abort('enough'))
      return ctx.call('GET /api/wait', { signal: stop.signal })
    }
    expect(await run(call)).toBe('aborted: enough')
  })

  it('runs as the user of a durable run, without headers of a client', async () => {
    const me: Probe = (ctx) => ({ user: ctx.auth?.session.userId, via: ctx.auth?.via, url: ctx.request.url })
    const router = createRouter()
      .use('/api/me', (ctx, next) => {
        if (ctx.auth === null) throw new ApiError('UNAUTHORIZED', 'Sign in')
        return next()
      })
      .on('GET /api/me', me)
    const parent = createAgent('parent', {
      durable: true,
      handler: async (ctx) => [
        await ctx.call('GET /api/me').catch((error: ApiError) => error.code),
        await ctx.call('POST /agent/parent').catch(String),
      ],
    })
    const app = await testApp(createApp({ agents: [parent], router, log: createLog({ write() {} }) }))
    const refused = expect.stringContaining('TypeError: POST /agent/parent cannot be called by name')
    const user = { user: 'ada', via: 'run', url: 'http://localhost/api/me' }
    expect(await app.as({ name: 'Ada' }).runs.start('parent')).toMatchObject({ output: [user, refused] })
    expect(await app.runs.start('parent')).toMatchObject({ output: ['UNAUTHORIZED', refused] })
    await app.close()
  })
})
