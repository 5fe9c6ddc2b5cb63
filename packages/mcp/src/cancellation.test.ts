import { createAgent, createApp, createLog, createRouter, memoryEngine } from '@sdk/server'
import type { Engine } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcp } from './index.ts'
import { connect } from './testing.ts'

type Client = Awaited<ReturnType<typeof connect>>

let waiting: string[]
let aborted: string[]
let errors: string[]
let engine: Engine
let app: TestApp

/** Creates an app whose agents never return a result, even if their signal aborts. */
function createSubject(): Promise<TestApp> {
  const wait = (signal: AbortSignal, name: string): Promise<never> => {
    signal.addEventListener('abort', () => aborted.push(name))
    waiting.push(name)
    return new Promise(() => {})
  }
  const input = z.object({ name: z.string().max(20) })
  const agents = [
    createAgent('wait', { input, handler: (ctx, { name }): Promise<null> => wait(ctx.signal, name) }),
    createAgent('stream', {
      input,
      async *handler(ctx, { name }) {
        yield name
        await wait(ctx.signal, name)
      },
    }),
    createAgent('endless', {
      input,
      async *handler(_ctx, { name }) {
        waiting.push(name)
        try {
          for (;;) yield await new Promise((resolve) => setImmediate(() => resolve(name)))
        } finally {
          aborted.push(name)
        }
      },
    }),
  ]
  const tools = { wait: 'POST /agent/wait', stream: 'POST /agent/stream', endless: 'POST /agent/endless' }
  const router = createRouter().on('POST /api/mcp', mcp(tools))
  const log = createLog({ write: (line) => line.includes('"error"') && errors.push(line) })
  return testApp(createApp({ agents, router, engine, rateLimit: false, log }))
}

beforeEach(async () => {
  ;[waiting, aborted, errors, engine] = [[], [], [], memoryEngine()]
  app = await createSubject()
})
afterEach(async () => {
  await app.close()
  await engine.close()
})

/** Connects a client, and records the session id that it sends. */
async function open(as: TestApp = app.as({ name: 'Ada' })): Promise<{ client: Client; session: () => string | null }> {
  let session: string | null = null
  const fetch = (request: Request): Promise<Response> => {
    session = request.headers.get('mcp-session-id')
    return as.fetch(request)
  }
  return { client: await connect({ fetch }, { version: '2025-11-25' }), session: () => session }
}

/** Starts a call. Returns a function that cancels it with the message of the client. */
async function start(client: Client, name: string, tool = 'wait'): Promise<() => Promise<unknown>> {
  const abort = new AbortController()
  const options = { signal: abort.signal, ...(tool !== 'wait' && { onprogress: () => {} }) }
  const ended = client.callTool({ name: tool, arguments: { name } }, options).catch((error: unknown) => error)
  await expect.poll(() => waiting).toContain(name)
  return () => (abort.abort(), ended)
}

/** Sends a message as another client could. */
async function send(message: object, { session = '', as = app.as({ name: 'Ada' }) } = {}): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': session,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return as.fetch(new Request('http://localhost/api/mcp', { method: 'POST', headers, body }))
}

const cancel = (requestId: unknown, options: Parameters<typeof send>[1]): Promise<Response> =>
  send({ method: 'notifications/cancelled', params: { requestId } }, options)

describe('a client of 2025-11-25', () => {
  it.each(['wait', 'stream'])('cancels one of its calls: %s', async (tool) => {
    const { client } = await open()
    const cancelFirst = await start(client, 'first', tool)
    await start(client, 'second', tool)
    expect(await cancelFirst()).toBeInstanceOf(Error)
    await expect.poll(() => aborted).toEqual(['first'])
  })

  it('ends a stream whose handler ignores the signal, without an error', async () => {
    const { client } = await open()
    const cancelCall = await start(client, 'call', 'endless')
    await cancelCall()
    await expect.poll(() => aborted).toEqual(['call'])
    expect(errors.filter((line) => line.includes('handler failed'))).toEqual([])
  })

  it('does not cancel the calls of other clients of the same user, which have the same ids', async () => {
    const [one, other] = [await open(), await open()]
    expect(one.session()).not.toBe(other.session())
    const cancelOne = await start(one.client, 'one')
    await start(other.client, 'other')
    await cancelOne()
    await expect.poll(() => aborted).toEqual(['one'])
  })

  it('cancels a call in another process', async () => {
    const second = await createSubject()
    const { client, session } = await open()
    await start(client, 'call')
    expect((await cancel(1, { session: session() ?? '', as: second.as({ name: 'Ada' }) })).status).toBe(202)
    await expect.poll(() => aborted).toEqual(['call'])
    await second.close()
  })

  it('receives a stream without messages for the cancelled call', async () => {
    const session = crypto.randomUUID()
    const params = { name: 'wait', arguments: { name: 'call' } }
    const response = send({ id: 'a', method: 'tools/call', params }, { session })
    await expect.poll(() => waiting).toEqual(['call'])
    await cancel('a', { session })
    expect((await response).headers.get('content-type')).toBe('text/event-stream')
    expect(await (await response).text()).toBe('')
  })
})

it('cancels a call only for its user, session and id', async () => {
  const { client, session } = await open()
  const known = session() ?? ''
  const cancelCall = await start(client, 'call')
  const foreign: [unknown, Parameters<typeof send>[1]][] = [
    [1, { session: known, as: app }],
    [1, { session: known, as: app.as({ name: 'Bob' }) }],
    [1, { session: crypto.randomUUID() }],
    [1, { session: known.toUpperCase() }],
    [1, { session: '' }],
    ['1', { session: known }],
    [2, { session: known }],
    ['1'.repeat(200), { session: known }],
    [null, { session: known }],
    [{}, { session: known }],
  ]
  for (const [id, options] of foreign) expect((await cancel(id, options)).status).toBeLessThan(500)
  for (const params of [null, 7, 'x', undefined])
    expect((await send({ method: 'notifications/cancelled', params }, { session: known })).status).toBeLessThan(500)
  expect(aborted).toEqual([])
  await cancelCall()
  await expect.poll(() => aborted).toEqual(['call'])
})

it('sends a new session id only in the response to initialize', async () => {
  const clientInfo = { name: 'test', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const ids = await Promise.all(
    [0, 1].map(async (id) => (await send({ id, method: 'initialize', params })).headers.get('mcp-session-id')),
  )
  expect(new Set(ids).size).toBe(2)
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
  const other = await send({ id: 1, method: 'tools/list' }, { session: ids[0] ?? '' })
  expect([other.status, other.headers.get('mcp-session-id')]).toEqual([200, null])
})
