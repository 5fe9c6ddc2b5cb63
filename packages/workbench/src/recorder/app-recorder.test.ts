import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createAgent, createApp, createRouter, serve, type Log, type Server, type SessionMiddleware } from '@sdk/server'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Run, RunSummary } from '../run.ts'
import { openRunStore } from '../store/file-run-store.ts'
import type { RunStore } from '../store/run-store.ts'
import { createAppRecorder, type AppRecorder } from './app-recorder.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
/** Requests without credentials are anonymous. */
const CREDENTIALS = { authorization: 'Bearer x' }
const USER = { emailVerified: true, image: null, createdAt: '', updatedAt: '' }

const session: SessionMiddleware = Object.assign(<T>(_ctx: unknown, next: () => T): T => next(), {
  authenticate: (headers: { get(name: string): string | null }) => {
    const name = headers.get('x-user')
    if (name === null) return null
    const user = { ...USER, id: name, name, email: `${name}@example.com` }
    const getUser = (): Promise<typeof user> =>
      name === 'ghost' ? Promise.reject(new Error('the database is away')) : Promise.resolve(user)
    return { session: { id: 's', userId: name, expiresAt: '' }, via: 'bearer' as const, getUser }
  },
  trusts: () => true,
})

const double = createAgent('double', {
  handler(ctx, input: number) {
    ctx.log.info('doubling', { input, apiKey: 'S3CR3T' })
    return input * 2
  },
})

const many = createAgent('many', {
  async *handler(_ctx, input: { count: number }) {
    for (let n = 0; n < input.count; n++) {
      if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
      yield { n, token: `line ${n} ✓` }
    }
  },
})

let leave: () => void = () => {}
const agents = [
  double,
  many,
  createAgent('echo', { handler: (_ctx, input: unknown) => input }),
  createAgent('outer', { handler: (ctx, input: number) => ctx.call(double, input) }),
  createAgent('broken', {
    async *handler() {
      yield 'first'
      throw new RangeError('in the middle')
    },
  }),
  createAgent('fails', {
    handler() {
      throw new TypeError('no such user 7')
    },
  }),
  createAgent('endless', {
    async *handler(ctx) {
      ctx.signal.addEventListener('abort', () => leave())
      for (;;) {
        yield 'more'
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }),
]

const router = createRouter()
  .use('/api/*', session)
  .on('GET /api/bytes', () => new Response(new Uint8Array([255, 0, 128])))
  .on('GET /api/me', (ctx) => ctx.auth?.session.userId)
  .on('POST /api/auth/sign-in', {
    rateLimit: 'auth',
    handler: () => Response.json({ token: 'S3CR3T'.repeat(3), user: 'Ada' }, { headers: { 'set-cookie': 'a=S3CR3T' } }),
  })
  .on('POST /api/upload', async (ctx) => (await ctx.request.arrayBuffer()).byteLength)

let folder: TemporaryFolder
let store: RunStore
let server: Server
let recorder: AppRecorder
let reported: RunSummary[]
const settings = { isRecording: true, redact: ['mothersName'] }

beforeEach(async () => {
  folder = temporaryFolder('recorder')
  store = openRunStore({ folder: folder.path })
  reported = []
  settings.isRecording = true
  const app = createApp({ agents, router, log: silent, rateLimit: false })
  recorder = createAppRecorder({
    store,
    root: import.meta.dirname,
    revision: () => 3,
    settings: () => settings,
    onRun: (run) => reported.push(run),
  })
  server = await serve(recorder.recordApp(app), { port: 0, signals: false, survive: false })
})

afterEach(async () => {
  await server.close()
  recorder.close()
  await store.close()
  folder.remove()
})

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
  return fetch(server.url + path, init)
}

/** Reads the newest run from disk. */
async function newest(): Promise<Run> {
  await store.flush()
  const { runs } = await store.list()
  const run = await store.read(runs[0]?.id ?? '')
  if (run === null) throw new Error('nothing was recorded')
  return run
}

const onDisk = (): string =>
  readdirSync(folder.path)
    .map((name) => readFileSync(join(folder.path, name), 'utf8'))
    .join('')

describe('createAppRecorder', () => {
  it('records a call and its response', async () => {
    const response = await post(
      '/agent/echo?x=1',
      { a: 1 },
      { 'user-agent': 'curl/8', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    )
    const text = await response.text()
    const run = await newest()
    expect(run).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      route: 'POST /agent/echo',
      kind: 'agent',
      method: 'POST',
      target: '/agent/echo?x=1',
      state: 'done',
      status: 200,
      bytes: text.length,
      chunks: 0,
      caller: 'curl',
      identity: null,
      error: null,
      revision: 3,
      thrown: null,
      traceId: 'a'.repeat(32),
      request: { body: { text: '{"a":1}', bytes: 7, isCut: false } },
      pieces: [{ text, bytes: text.length, isCut: false }],
    })
    expect(run.request.headers).toContainEqual(['content-type', 'application/json'])
    expect(run.response?.headers).toContainEqual(['content-type', 'application/json'])
    expect(run.response?.at).toBeLessThanOrEqual(run.ms ?? 0)
  })

  it('records a stream of 10,000 tokens so that it can be replayed exactly', async () => {
    const sent = await (await post('/agent/many', { count: 10_000 })).text()
    const { pieces, chunks, bytes, state } = await newest()
    expect([chunks, state, bytes]).toEqual([10_000, 'done', Buffer.byteLength(sent)])
    expect(pieces.map(({ text }) => text).join('')).toBe(sent)
    expect(pieces.every(({ at }, index) => at >= (pieces[index - 1]?.at ?? 0))).toBe(true)
    expect(pieces.reduce((sum, piece) => sum + piece.bytes, 0)).toBe(bytes)
    expect(pieces.some(({ isCut }) => isCut)).toBe(false)
  })

  it('stores at most a megabyte of text and 20,000 chunks, and records the full sizes', async () => {
    const sent = await (await post('/agent/many', { count: 50_000 })).text()
    const run = await newest()
    expect([run.chunks, run.bytes, run.pieces.length]).toEqual([50_000, Buffer.byteLength(sent), 20_000])
    const big = 'x'.repeat(900_000)
    await (await post('/agent/echo', { big })).text()
    const { request: recordedRequest, pieces } = await newest()
    expect([recordedRequest.body?.isCut, recordedRequest.body?.bytes]).toEqual([false, 900_010])
    expect([pieces[0]?.isCut, pieces[0]?.bytes, pieces[0]?.text.length]).toEqual([true, 900_010, 99_990])
  })

  it('distinguishes a failed stream from one whose client disconnected', async () => {
    await (await post('/agent/broken', null)).text()
    const broken = await newest()
    expect(broken).toMatchObject({ state: 'failed', status: 200, error: 'RangeError: in the middle' })
    expect(broken.thrown?.frames[0]).toMatchObject({ name: 'handler', file: 'app-recorder.test.ts', isForeign: false })
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const control = new AbortController()
    const response = await fetch(`${server.url}/agent/endless`, {
      method: 'POST',
      body: 'null',
      headers: { 'content-type': 'application/json' },
      signal: control.signal,
    })
    await response.body?.getReader().read()
    control.abort()
    await left
    await expect.poll(async () => (await newest()).state).toBe('cancelled')
  })

  it('records and groups errors that a handler threw', async () => {
    await (await post('/agent/fails', null)).text()
    await (await post('/agent/fails', null)).text()
    const run = await newest()
    expect(run).toMatchObject({ state: 'failed', status: 500, error: 'TypeError: no such user 7' })
    expect(run.thrown?.codeFrame).toContain("throw new TypeError('no such user 7')")
    expect(await store.errors()).toMatchObject([{ count: 2, route: 'POST /agent/fails' }])
  })

  it('records calls that match no route', async () => {
    await (await post('/agent/none', null)).text()
    expect(await newest()).toMatchObject({
      state: 'refused',
      status: 404,
      route: null,
      error: expect.stringContaining('NOT_FOUND') as string,
    })
  })

  it('records nested agents and their logs without secrets', async () => {
    await (await post('/agent/outer', 4)).text()
    const { spans, logs } = await newest()
    expect(spans).toMatchObject([
      { id: 1, parentId: 0, route: 'POST /agent/double', input: { text: '4' }, output: { text: '8' }, error: null },
    ])
    expect(logs).toMatchObject([
      { message: 'doubling', level: 'info', spanId: 1, fields: '{"input":4,"apiKey":"[redacted]"}' },
    ])
  })

  it('records the user, or only the id if the user cannot be read', async () => {
    await (await fetch(`${server.url}/api/me`, { headers: { ...CREDENTIALS, 'x-user': 'ada' } })).text()
    expect((await newest()).identity).toEqual({ userId: 'ada', email: 'ada@example.com', name: 'ada' })
    await (await fetch(`${server.url}/api/me`, { headers: { ...CREDENTIALS, 'x-user': 'ghost' } })).text()
    expect((await newest()).identity).toEqual({ userId: 'ghost', email: null, name: null })
  })

  it('stores bytes that are not UTF-8 as base64', async () => {
    await (await fetch(`${server.url}/api/bytes`)).arrayBuffer()
    expect((await newest()).pieces).toMatchObject([{ text: '/wCA', bytes: 3, encoding: 'base64' }])
  })

  it('records only the size of a body that the handler reads itself', async () => {
    const init = { method: 'POST', body: 'abcde', headers: { 'content-type': 'text/plain' } }
    expect(await (await fetch(`${server.url}/api/upload`, init)).text()).toBe('5')
    expect((await newest()).request.body).toEqual({ text: '', bytes: 5, isCut: true })
  })

  it('does not write passwords or tokens of a sign-in to disk', async () => {
    const headers = { authorization: 'Bearer S3CR3T', cookie: 'session=S3CR3T' }
    const body = { email: 'ada@example.com', password: 'S3CR3T', nested: [{ mothersName: 'S3CR3T' }] }
    expect(await (await post('/api/auth/sign-in?token=S3CR3T', body, headers)).text()).toContain('S3CR3T')
    const { request: recordedRequest, pieces } = await newest()
    expect(recordedRequest.body?.text).toContain('"email":"ada@example.com","password":"[redacted]"')
    expect(pieces[0]?.text).toBe('{"token":"[redacted]","user":"Ada"}')
    expect(onDisk()).not.toContain('S3CR3T')
    expect(JSON.stringify(reported)).not.toContain('S3CR3T')
  })

  it('reports a run when it starts and when it ends', async () => {
    await (await post('/agent/echo', 1)).text()
    await expect.poll(() => reported.at(-1)?.state).toBe('done')
    expect(reported.every(({ id }) => id === reported[0]?.id)).toBe(true)
  })

  it('does not record while recording is off, or requests to other paths', async () => {
    settings.isRecording = false
    await (await post('/agent/echo', 1)).text()
    settings.isRecording = true
    await (await fetch(`${server.url}/healthz`)).text()
    await (await fetch(`${server.url}/agent/double`)).text() // reads the schema
    await store.flush()
    expect((await store.list()).total).toBe(0)
  })

  it('records a run as cancelled if the client disconnects', async () => {
    await new Promise<void>((resolve) => {
      const call = request(
        `${server.url}/agent/endless`,
        { method: 'POST', headers: { 'content-type': 'application/json' } },
        () => call.destroy(),
      )
      call
        .on('close', resolve)
        .on('error', () => {})
        .end('null')
    })
    await expect.poll(async () => (await newest()).state).toBe('cancelled')
  })
})
