import type { RequestAuth } from '../auth/identity.ts'
import { describe, expect, it } from 'vitest'
import { toResponse, fromWebRequest } from '../app/fetch-adapter.ts'
import { ApiError, createAgent, createApp, createRouter, type Log, type SessionMiddleware } from '../index.ts'
import type { RequestObserver, RunObserver } from './request-observer.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Records all events, each with the route of the run. */
function createListener(): { observer: RequestObserver; events: unknown[][] } {
  const events: unknown[][] = []
  const runOf = (name: string): RunObserver => ({
    onNestedRun(route, input) {
      events.push([name, 'nested', route, input])
      return runOf(route)
    },
    onLog: (level, message, fields) => void events.push([name, level, message, fields]),
    onChunk: (chunk) => void events.push([name, 'gave', chunk]),
    onEnd: ({ output, error }) => void events.push([name, 'ended', error instanceof Error ? error.message : output]),
  })
  const observer: RequestObserver = {
    ...runOf('call'),
    onRoute: (route, requestId) => void events.push(['call', 'routed', route, requestId]),
    onAuthenticated: (auth) => void events.push(['call', 'identified', auth?.session.userId ?? null]),
    onBody: (body) => void events.push(['call', 'received', body]),
    onError: (error) => void events.push(['call', 'threw', error instanceof Error ? error.message : error]),
    onToolCall: (route, client) => void events.push(['call', 'tool', route, client]),
  }
  return { observer, events }
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
    createAgent('named', {
      handler: async (ctx) => [
        await ctx.call('POST /agent/double', 4),
        await ctx.call('GET /api/thing/:id', { params: { id: 7 } }),
        await ctx.call('POST /agent/double', 13).catch((error: Error) => error.message),
      ],
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

/** Returns the events of a request and the complete response. */
async function listen(path: string, init?: RequestInit): Promise<{ events: unknown[][]; text: string }> {
  const { observer, events } = createListener()
  const call = fromWebRequest(new Request(`http://localhost${path}`, init))
  const reply = await app.handle(Object.assign(call, { observer }))
  return { events, text: await toResponse(reply, call.method).text() }
}

function post(body: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

describe('RequestObserver', () => {
  it('receives the route, the request id and the user, and nothing if no route matches', async () => {
    const headers = { authorization: 'ada', 'x-request-id': 'request-1' }
    expect((await listen('/api/thing/7', { headers })).events).toEqual([
      ['call', 'routed', 'GET /api/thing/:id', 'request-1'],
      ['call', 'identified', 'ada'],
    ])
    const nobody = await listen('/api/thing/7', { headers: { authorization: 'nobody' } })
    expect(nobody.events).toContainEqual(['call', 'identified', null])
    expect((await listen('/api/none')).events).toEqual([])
  })

  it('receives the raw body, even if it is not JSON', async () => {
    expect((await listen('/agent/double', post(4))).events).toContainEqual(['call', 'received', '4'])
    const bad = await listen('/agent/double', { ...post(null), body: '{"a": ' })
    expect(bad.events).toContainEqual(['call', 'received', '{"a": '])
    expect(bad.text).toContain('is not valid JSON')
  })

  it('receives the errors of a handler, before the response and in a stream', async () => {
    const gone = await listen('/api/gone', { headers: { authorization: 'ada' } })
    expect(gone.events.at(-1)).toEqual(['call', 'threw', 'it was here'])
    const broken = await listen('/agent/broken', post(null))
    expect(broken.events).toContainEqual(['call', 'threw', 'in the middle'])
    expect(broken.text).toMatch(/^1\n\{"error"/)
  })

  it('receives nested runs with their chunks and logs', async () => {
    const { events, text } = await listen('/agent/outer', post(2))
    expect(text).toBe('[2,4]')
    expect(events.slice(2)).toEqual([
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

  it('receives calls of routes as nested runs, with their errors and logs', async () => {
    const { events, text } = await listen('/agent/named', post(null))
    expect(text).toBe('[8,"ok","Something went wrong on our side"]')
    expect(events.slice(2)).toEqual([
      ['call', 'nested', 'POST /agent/double', 4],
      ['POST /agent/double', 'debug', 'doubling', { input: 4 }],
      ['POST /agent/double', 'ended', 8],
      ['call', 'nested', 'GET /api/thing/:id', { id: 7 }],
      ['GET /api/thing/:id', 'ended', 'ok'],
      ['call', 'nested', 'POST /agent/double', 13],
      ['POST /agent/double', 'debug', 'doubling', { input: 13 }],
      ['POST /agent/double', 'ended', 'unlucky'],
      ['POST /agent/double', 'error', 'handler failed', expect.objectContaining({ error: expect.anything() })],
    ])
  })

  it('receives the error of a nested run, even if the caller catches it', async () => {
    const { events, text } = await listen('/agent/caught', post(13))
    expect(text).toBe('"caught"')
    expect(events.at(-1)).toEqual(['POST /agent/double', 'ended', 'unlucky'])
  })

  it('receives the end of a nested stream that the caller stops reading', async () => {
    const { events, text } = await listen('/agent/early', post(null))
    expect(text).toBe('2')
    expect(events.at(-1)).toEqual(['POST /agent/counter', 'ended', undefined])
  })

  it('does not break a handler that logs values other than strings', async () => {
    const { events, text } = await listen('/agent/logs', post(null))
    expect(text).toBe('"logged"')
    expect(events.slice(2)).toEqual([
      ['call', 'info', '{"password":"[redacted]"}', undefined],
      ['call', 'warn', 'null', undefined],
    ])
  })
})
