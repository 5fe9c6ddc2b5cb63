import { request } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  type Agent,
  ApiError,
  createAgent,
  createApp,
  createRouter,
  type Log,
  type Middleware,
  serve,
} from '../index.ts'

const ignore = (): void => {}
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const missing = (): ApiError => new ApiError('NOT_FOUND', 'no such list')

function* failSync(chunks: number): Generator<{ n: number }> {
  for (let n = 1; n <= chunks; n++) yield { n }
  throw missing()
}
async function* failAfter(chunks: number): AsyncGenerator<{ n: number }> {
  yield* failSync(chunks)
}
async function* count(): AsyncGenerator<{ n: number }> {
  yield { n: 1 }
  yield { n: 2 }
}

const inner = createAgent('inner', { handler: () => failAfter(0) })
const agents: Agent[] = [
  inner,
  createAgent('sync', { handler: () => failSync(0) }),
  createAgent('generator', {
    async *handler() {
      yield* failAfter(0)
    },
  }),
  createAgent('readable', {
    handler: () =>
      new ReadableStream<{ n: number }>({
        start(controller) {
          controller.error(missing())
        },
      }),
  }),
  createAgent('nested', {
    async *handler(ctx) {
      yield* await ctx.call(inner, undefined)
    },
  }),
  createAgent('unexpected', { output: z.object({ n: z.string() }), handler: count as never }),
  createAgent('later', { handler: () => failAfter(1) }),
  createAgent('count', { output: z.object({ n: z.number() }), handler: count }),
  createAgent('empty', { async *handler() {} }),
]
const seen: string[] = []
const note: Middleware = async (_ctx, next) => {
  try {
    return await next()
  } catch (error) {
    seen.push(error instanceof ApiError ? error.code : String(error))
    throw error
  }
}
const router = createRouter()
  .use('/api/*', note)
  .on('GET /api/text', { content: 'text/plain', handler: () => failAfter(0) as never })

/** Sends requests to the app over each adapter. */
const adapters: [string, (path: string, init?: RequestInit) => Promise<Response>][] = [
  ['app.fetch', (path, init) => createTestApp().fetch(new Request(`http://localhost${path}`, init))],
  [
    'serve',
    async (path, init) => {
      const server = await serve(createTestApp(), { port: 0 })
      const response = await fetch(server.url + path, init)
      const copy = new Response(await response.text(), { status: response.status, headers: response.headers })
      await server.close()
      return copy
    },
  ],
]

function createTestApp(all = agents) {
  return createApp({ agents: all, router, rateLimit: false, log })
}

afterEach(() => vi.useRealTimers())

describe.each(adapters)('an error before the first chunk, over %s', (_name, send) => {
  it.each(['inner', 'sync', 'generator', 'readable', 'nested'])('sets the response status: %s', async (agent) => {
    for (const accept of ['application/x-ndjson', 'text/event-stream']) {
      const response = await send(`/agent/${agent}`, { method: 'POST', headers: { accept } })
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
    }
  })

  it('sets the response status of a text body and reaches middleware', async () => {
    seen.length = 0
    const response = await send('/api/text', { headers: { accept: 'text/plain, application/json' } })
    expect([response.status, seen]).toEqual([404, ['NOT_FOUND']])
  })

  it('is a 500 if the chunk does not match the output schema', async () => {
    expect((await send('/agent/unexpected', { method: 'POST' })).status).toBe(500)
  })

  it('does not affect later errors, which are sent as the last chunk', async () => {
    const response = await send('/agent/later', { method: 'POST' })
    const [first, last] = (await response.text()).trim().split('\n')
    expect([response.status, first]).toEqual([200, '{"n":1}'])
    expect(JSON.parse(last ?? '')).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })

  it('does not affect streams that succeed', async () => {
    expect(await (await send('/agent/count', { method: 'POST' })).text()).toBe('{"n":1}\n{"n":2}\n')
    expect(await (await send('/agent/empty', { method: 'POST' })).text()).toBe('')
  })
})

describe('a stream without a chunk for five seconds', () => {
  it('sends its headers, and a later error as the last chunk', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let fails = (): void => {}
    const silent = createAgent('silent', {
      async *handler() {
        yield await new Promise<number>((_resolve, reject) => {
          fails = () => reject(missing())
        })
      },
    })
    const pending = createTestApp([silent]).fetch(new Request('http://localhost/agent/silent', { method: 'POST' }))
    await vi.advanceTimersByTimeAsync(5_000)
    const response = await pending
    expect(response.status).toBe(200)
    fails()
    expect(JSON.parse(await response.text())).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })
})

describe('a client that disconnects before the first chunk', () => {
  /** Creates an agent that waits for its signal, with promises for its start and end. */
  function createWaiting(): { agent: Agent; started: Promise<void>; ended: Promise<void> } {
    const [started, ended] = [createEvent(), createEvent()]
    const agent = createAgent('waits', {
      async *handler(ctx) {
        try {
          started.emit()
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
          yield 1
        } finally {
          ended.emit()
        }
      },
    })
    return { agent, started: started.happened, ended: ended.happened }
  }

  it('aborts the handler, over app.fetch', async () => {
    const { agent, started, ended } = createWaiting()
    const controller = new AbortController()
    const init = { method: 'POST', signal: controller.signal }
    const pending = createTestApp([agent]).fetch(new Request('http://localhost/agent/waits', init))
    await started
    controller.abort()
    await expect(ended).resolves.toBeUndefined()
    await pending
  })

  it('aborts the handler, over serve', async () => {
    const { agent, started, ended } = createWaiting()
    const server = await serve(createTestApp([agent]), { port: 0 })
    const client = request(`${server.url}/agent/waits`, { method: 'POST' }).on('error', () => {})
    client.end()
    await started
    client.destroy()
    await expect(ended).resolves.toBeUndefined()
    await server.close()
  })
})

describe('HEAD', () => {
  it('does not run the generator', async () => {
    let runs = 0
    const rows = createRouter().on('GET /api/rows', async function* handler() {
      runs += 1
      yield 1
    })
    const app = createApp({ router: rows, rateLimit: false, log })
    expect((await app.fetch(new Request('http://localhost/api/rows', { method: 'HEAD' }))).status).toBe(200)
    expect(runs).toBe(0)
  })
})

function createEvent(): { emit: () => void; happened: Promise<void> } {
  let emit = (): void => {}
  const happened = new Promise<void>((resolve) => {
    emit = resolve
  })
  return { emit, happened }
}
