import type { RequestAuth } from '../auth/identity.ts'
import { describe, expect, it } from 'vitest'
import { toResponse, fromWebRequest } from '../app/fetch-adapter.ts'
import { ApiError, createAgent, createApp, createRouter, type Log, type SessionMiddleware } from '../index.ts'
import type { RequestObserver, RunObserver } from './request-observer.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Writes down all it hears, each with the route of the run. */
function createListener(): { watch: RequestObserver; heard: unknown[][] } {
  const heard: unknown[][] = []
  const runOf = (name: string): RunObserver => ({
    onNestedRun(route, input) {
      heard.push([name, 'nested', route, input])
      return runOf(route)
    },
    onLog: (level, message, fields) => void heard.push([name, level, message, fields]),
    onChunk: (chunk) => void heard.push([name, 'gave', chunk]),
    onEnd: ({ output, error }) => void heard.push([name, 'ended', error instanceof Error ? error.message : output]),
  })
  const watch: RequestObserver = {
    ...runOf('call'),
    onRoute: (route, requestId) => void heard.push(['call', 'routed', route, requestId]),
    onAuthenticated: (auth) => void heard.push(['call', 'identified', auth?.session.userId ?? null]),
    onBody: (body) => void heard.push(['call', 'received', body]),
    onError: (error) => void heard.push(['call', 'threw', error instanceof Error ? error.message : error]),
  }
  return { watch, heard }
}

const session: SessionMiddleware = Object.assign(<T>(_ctx: unknown, next: () => T): T => next(), {
  authenticate: (headers: { get(name: string): string | null }): RequestAuth | null => {
    const userId = headers.get('authorization')
    if (userId === 'nobody') return null
    return {
      session: { id: 's', userId: userId ?? '', expiresAt: '' },
      via: 'bearer',
      getUser: () => Promise.reject(new Error('nobody asks')),
    }
  },
  trusts: () => true,
})

const double = createAgent('double', {
  handler(ctx, input: number) {
    ctx.log.debug('doubling', { input })
    if (input === 13) throw new Error('unlucky')
    return input * 2
  },
})

const counter = createAgent('counter', {
  async *handler(ctx, input: number) {
    for (let n = 1; n <= input; n++) yield await ctx.call(double, n)
  },
})

const app = createApp({
  log: silent,
  agents: [
    createAgent('logs', {
      handler({ log }) {
        const anything = log as unknown as Record<'info' | 'warn', (message?: unknown) => void>
        anything.info({ password: 'S3CR3T' })
        anything.warn()
        return 'logged'
      },
    }),
    double,
    counter,
    createAgent('outer', {
      async handler(ctx, input: number) {
        ctx.log.info('before')
        const all: unknown[] = []
        for await (const chunk of await ctx.call(counter, input)) all.push(chunk)
        ctx.log.info('after')
        return all
      },
    }),
    createAgent('caught', {
      handler: async (ctx, input: number) => {
        try {
          return await ctx.call(double, input)
        } catch {
          return 'caught'
        }
      },
    }),
    createAgent('broken', {
      async *handler() {
        yield 1
        throw new Error('in the middle')
      },
    }),
    createAgent('early', {
      handler: async (ctx) => {
        for await (const chunk of await ctx.call(counter, 9)) return chunk
        return null
      },
    }),
  ],
  router: createRouter()
    .use('/api/*', session)
    .on('GET /api/thing/:id', () => 'ok')
    .on('GET /api/gone', () => {
      throw new ApiError('GONE', 'it was here')
    }),
})

/** What a watcher hears of a call, and the whole answer. */
async function listen(path: string, init?: RequestInit): Promise<{ heard: unknown[][]; text: string }> {
  const { watch, heard } = createListener()
  const call = fromWebRequest(new Request(`http://localhost${path}`, init))
  const reply = await app.handle(Object.assign(call, { observer: watch }))
  return { heard, text: await toResponse(reply, call.method).text() }
}

function post(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

describe('RequestObserver', () => {
  it('hears the route with the request id, who calls, and nothing of a call that no route answers', async () => {
    const headers = { authorization: 'ada', 'x-request-id': 'request-1' }
    expect((await listen('/api/thing/7', { headers })).heard).toEqual([
      ['call', 'routed', 'GET /api/thing/:id', 'request-1'],
      ['call', 'identified', 'ada'],
    ])
    const nobody = await listen('/api/thing/7', { headers: { authorization: 'nobody' } })
    expect(nobody.heard).toContainEqual(['call', 'identified', null])
    expect((await listen('/api/none')).heard).toEqual([])
  })

  it('hears the body as it came, also where it is no JSON', async () => {
    expect((await listen('/agent/double', post(4))).heard).toContainEqual(['call', 'received', '4'])
    const bad = await listen('/agent/double', { ...post(null), body: '{"a": ' })
    expect(bad.heard).toContainEqual(['call', 'received', '{"a": '])
    expect(bad.text).toContain('is not valid JSON')
  })

  it('hears what a handler throws: before the answer, and in the middle of a stream', async () => {
    const gone = await listen('/api/gone', { headers: { authorization: 'ada' } })
    expect(gone.heard.at(-1)).toEqual(['call', 'threw', 'it was here'])
    const broken = await listen('/agent/broken', post(null))
    expect(broken.heard).toContainEqual(['call', 'threw', 'in the middle'])
    expect(broken.text).toMatch(/^1\n\{"error"/)
  })

  it('hears agents inside of agents, with their chunks and their logs', async () => {
    const { heard, text } = await listen('/agent/outer', post(2))
    expect(text).toBe('[2,4]')
    expect(heard.slice(2)).toEqual([
      ['call', 'info', 'before', undefined],
      ['call', 'nested', 'POST /agent/counter', 2],
      ['POST /agent/counter', 'nested', 'POST /agent/double', 1],
      ['POST /agent/double', 'debug', 'doubling', { input: 1 }],
      ['POST /agent/double', 'ended', 2],
      ['POST /agent/counter', 'gave', 2],
      ['POST /agent/counter', 'nested', 'POST /agent/double', 2],
      ['POST /agent/double', 'debug', 'doubling', { input: 2 }],
      ['POST /agent/double', 'ended', 4],
      ['POST /agent/counter', 'gave', 4],
      ['POST /agent/counter', 'ended', undefined],
      ['call', 'info', 'after', undefined],
    ])
  })

  it('hears how a nested run fails, though its caller catches it', async () => {
    const { heard, text } = await listen('/agent/caught', post(13))
    expect(text).toBe('"caught"')
    expect(heard.at(-1)).toEqual(['POST /agent/double', 'ended', 'unlucky'])
  })

  it('hears the end of a nested stream whose caller has enough', async () => {
    const { heard, text } = await listen('/agent/early', post(null))
    expect(text).toBe('2')
    expect(heard.at(-1)).toEqual(['POST /agent/counter', 'ended', undefined])
  })

  it('breaks no handler that logs something else than a text', async () => {
    const { heard, text } = await listen('/agent/logs', post(null))
    expect(text).toBe('"logged"')
    expect(heard.slice(2)).toEqual([
      ['call', 'info', '{"password":"[redacted]"}', undefined],
      ['call', 'warn', 'null', undefined],
    ])
  })
})
