import { connect } from 'node:net'
import { join } from 'node:path'
import { isEnvelope } from '@sdk/protocol'
import { type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { HostileAgent } from './hostile-server.ts'

const SECRET = 'swordfish'
const HIDDEN = { code: 'INTERNAL_SERVER_ERROR', message: expect.not.stringContaining(SECRET) as string, details: [] }

let server: NodeProcess
let count = 0

const start = async (): Promise<void> => {
  server = await spawnNode({
    file: join(import.meta.dirname, 'hostile-server.ts'),
    ready: /http:\/\/[\d.:]+/,
    env: { NODE_ENV: 'production' },
  })
}
beforeAll(start)
afterAll(() => server?.kill())

// The process must survive every handler. If it has died, only this test fails: the next one uses a new process.
afterEach(async () => {
  const hasEnded = server.hasEnded()
  const printed = server.output().slice(-2_000)
  if (hasEnded) await start()
  expect(hasEnded, `the process died:\n${printed}`).toBe(false)
  const { response } = await call('alive')
  expect(await response.json()).toEqual({ alive: true })
})

interface Called {
  readonly id: string
  readonly response: Response
}

async function call(
  agent: string,
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Called> {
  const id = `hostile-${++count}-${agent}`
  // A new connection for each call, so that a broken one does not affect the next test.
  const headers = { 'x-request-id': id, 'content-type': 'application/json', connection: 'close', ...init.headers }
  const response = await fetch(`${server.url}/agent/${agent}`, { method: 'POST', body: '{}', ...init, headers })
  return { id, response }
}

/** Returns the log lines of a request. */
const linesOf = (id: string): string[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes(`"${id}"`))
const errorsOf = (id: string): string[] => linesOf(id).filter((line) => line.includes('"level":"error"'))

async function expectLogged(id: string): Promise<void> {
  await expect.poll(() => errorsOf(id), { message: `a line of the log for ${id}` }).not.toEqual([])
}

describe('a handler that', () => {
  it.each<HostileAgent>([
    'throws-error',
    'readable-errors',
    'throws-string',
    'throws-null',
    'throws-undefined',
    'throws-symbol',
    'throws-bare-object',
    'throws-hostile-object',
    'throws-hostile-error',
    'throws-hostile-cause',
    'throws-circular-cause',
    'throws-proxy',
    'throws-like-api-error',
    'throws-api-error-of-success',
    'throws-api-error-of-nowhere',
    'throws-circular-details',
    'throws-bigint-details',
    'throws-bad-header',
    'rejects-later',
    'rejects-string',
    'has-hostile-then',
    'returns-circular',
    'returns-bigint',
    'returns-getter',
    'returns-to-json',
    'returns-deep',
    'returns-hostile-proxy',
    'returns-used-response',
    'returns-hostile-iterable',
    'hostile-output',
    'hostile-schema',
  ])('%s returns a 500 without the reason, and logs an error', async (agent) => {
    const { id, response } = await call(agent)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toContain(SECRET)
    expect(JSON.parse(text)).toEqual({ error: HIDDEN })
    expect(isEnvelope(JSON.parse(text))).toBe(true)
    expect(response.headers.get('x-request-id')).toBe(id)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await expectLogged(id)
  })

  it.each<HostileAgent>([
    'throws-error',
    'throws-string',
    'rejects-later',
    'returns-getter',
    'throws-circular-details',
  ])('%s logs the reason', async (agent) => {
    const { id, response } = await call(agent)
    await response.text()
    await expect.poll(() => errorsOf(id).join('\n')).toContain(SECRET)
  })

  it.each<HostileAgent>([
    'yields-circular',
    'yields-bigint',
    'yields-getter',
    'throws-mid-stream',
    'throws-null-mid-stream',
    'next-returns-null',
  ])('%s ends its stream with the error as the last chunk', async (agent) => {
    const { id, response } = await call(agent)
    const text = await response.text()
    expect(text).not.toContain(SECRET)
    const chunks = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect([response.status, chunks.at(-1)]).toEqual([200, { error: HIDDEN }])
    expect(chunks.length).toBeLessThanOrEqual(2)
    await expectLogged(id)
  })

  it.each<HostileAgent>(['yields-circular', 'throws-mid-stream'])(
    '%s ends server-sent events with the error',
    async (agent) => {
      const { id, response } = await call(agent, { headers: { accept: 'text/event-stream' } })
      const last = (await response.text()).trimEnd().split('\n\n').at(-1)
      expect(JSON.parse(last?.replace(/^(?:event: .*\n)?data: /, '') ?? '')).toEqual({ error: HIDDEN })
      await expectLogged(id)
    },
  )
})

describe('a handler with a disconnected client that', () => {
  it.each<HostileAgent>([
    'never-settles',
    'finally-throws',
    'return-throws',
    'abort-listener-throws',
    'rejects-when-left',
  ])('%s receives the abort', async (agent) => {
    const caller = new AbortController()
    const called = call(agent, { signal: caller.signal }).catch(() => undefined)
    const id = `hostile-${count}-${agent}`
    await expect.poll(() => linesOf(id).join('\n')).toContain('waiting')
    caller.abort()
    await called
    await expect.poll(() => linesOf(id).join('\n')).toContain('the caller left')
  })
})

describe('a handler that responds successfully and', () => {
  it.each<HostileAgent>([
    'wait-until-rejects',
    'wait-until-throws-in-next-tick',
    'wait-until-throws-in-next-tick-synchronously',
    'wait-until-throws-in-timer',
  ])('%s sends its response, and logs the error with the request id', async (agent) => {
    const { id, response } = await call(agent)
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    await expect.poll(() => errorsOf(id).join('\n')).toContain(SECRET)
  })

  it.each<HostileAgent>(['rejects-unhandled', 'throws-in-timer'])(
    '%s sends its response, and logs the error',
    async (agent) => {
      const before = server.output().length
      const { response } = await call(agent)
      expect([response.status, await response.json()]).toEqual([200, { ok: true }])
      await expect.poll(() => server.output().slice(before)).toContain(SECRET)
    },
  )

  it('throws in the next tick does not cause a 4xx for the next request of the connection', async () => {
    const { port } = new URL(server.url)
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (part: Buffer) => (text += part.toString())).on('error', () => undefined)
    const send = (agent: HostileAgent): unknown =>
      socket.write(
        `POST /agent/${agent} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      )
    send('wait-until-throws-in-next-tick-synchronously')
    await expect.poll(() => text).toContain('{"ok":true}')
    let isClosed = false
    socket.once('close', () => (isClosed = true))
    send('alive')
    // The server may close the connection, or respond with a 5xx.
    await expect.poll(() => isClosed || /"alive":true|"error"/.test(text)).toBe(true)
    socket.destroy()
    expect(text).not.toContain('HTTP/1.1 4')
  })

  it('throws in a timer does not log the error with the id of another request', async () => {
    const caller = new AbortController()
    const innocent = call('innocent', { signal: caller.signal }).catch(() => undefined)
    const id = `hostile-${count}-innocent`
    await expect.poll(() => linesOf(id).join('\n')).toContain('waiting')
    const before = server.output().length
    await (await call('throws-in-timer')).response.text()
    await expect.poll(() => server.output().slice(before)).toContain(SECRET)
    caller.abort()
    await innocent
    expect(errorsOf(id).filter((line) => line.includes(`"requestId":"${id}"`))).toEqual([])
  })

  it('wait-until-no-promise returns 200 or 500', async () => {
    const { response } = await call('wait-until-no-promise')
    expect([200, 500]).toContain(response.status)
  })

  it('logs-hostile-fields writes its log line', async () => {
    const { id, response } = await call('logs-hostile-fields')
    expect(await response.json()).toEqual({ ok: true })
    await expect.poll(() => linesOf(id).join('\n')).toContain(`a hostile line of ${SECRET}`)
  })
})

describe('a middleware that', () => {
  it.each([
    ['throws a string', '/api/middleware/any'],
    ['returns nothing', '/api/nothing/any'],
  ])('%s returns a 500 without the reason', async (_name, path) => {
    const response = await fetch(server.url + path, { headers: { 'x-request-id': 'hostile-middleware' } })
    const text = await response.text()
    expect([response.status, JSON.parse(text)]).toEqual([500, { error: HIDDEN }])
    await expectLogged('hostile-middleware')
  })

  it('calls next twice returns one response', async () => {
    const response = await fetch(`${server.url}/api/twice/any`)
    expect([200, 500]).toContain(response.status)
    expect(await response.json()).toBeTruthy()
  })
})
