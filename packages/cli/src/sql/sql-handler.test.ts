import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queryDevServer, createSqlHandler } from './sql-handler.ts'
import { Failure } from '../failure.ts'

const PASS = 'a pass of this start'
const executed: string[] = []
/** Replaces the real connection, which is always local. */
let socket: object | null = null
let server: Server
let url = ''

beforeAll(async () => {
  const handle = createSqlHandler({ pass: PASS, host: 'dev.example' }, ({ sql }) => {
    executed.push(sql)
    if (sql === 'bad') throw new Failure('bad is no SQL', { code: 'SQL_FAILED', fix: 'write good' })
    return Promise.resolve([{ answer: 42 }])
  })
  server = createServer((incoming, response) => {
    if (socket !== null) Object.defineProperty(incoming, 'socket', { value: socket })
    if (!handle(incoming, response)) response.writeHead(418).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const note = (pass: string): Parameters<typeof queryDevServer>[0] => ({ url, workbench: '', pid: 1, pass })

describe('createSqlHandler', () => {
  it('runs queries with the pass, and returns errors of the database', async () => {
    expect(await queryDevServer(note(PASS), { sql: 'good', canWrite: false })).toEqual([{ answer: 42 }])
    await expect(queryDevServer(note(PASS), { sql: 'bad', canWrite: false })).rejects.toMatchObject({
      message: 'bad is no SQL',
      code: 'SQL_FAILED',
      fix: 'write good',
    })
  })

  it.each([
    ['another pass', { 'x-sdk-pass': 'guessed' }, 'POST'],
    ['no pass', {}, 'POST'],
    ['a web page, even with the pass', { 'x-sdk-pass': PASS, origin: 'http://127.0.0.1:3000' }, 'POST'],
    ['a request with fetch metadata of a browser', { 'x-sdk-pass': PASS, 'sec-fetch-site': 'same-origin' }, 'POST'],
    ['a GET', { 'x-sdk-pass': PASS }, 'GET'],
    ['a host name of another machine', { 'x-sdk-pass': PASS, host: 'evil.example' }, 'POST'],
  ])('rejects %s without running the query', async (_, headers, method) => {
    const before = executed.length
    const body = method === 'GET' ? null : JSON.stringify({ sql: 'good', canWrite: true })
    const response = await send({ method, headers, body })
    expect([response.status, executed.length]).toEqual([403, before])
  })

  it.each([
    ['the same machine by its IP address', 200, { remoteAddress: '192.0.2.7', localAddress: '192.0.2.7' }],
    ['another machine, even with the pass', 403, { remoteAddress: '192.0.2.8', localAddress: '192.0.2.7' }],
    ['a closed connection', 403, {}],
  ])('responds to %s with %i', async (_, status, addresses) => {
    socket = addresses
    const body = JSON.stringify({ sql: 'good', canWrite: false })
    expect(await send({ method: 'POST', headers: { 'x-sdk-pass': PASS }, body })).toEqual({ status })
    socket = null
  })

  it.each(['localhost:3000', '[::1]:3000', 'dev.example'])('accepts its own host %s', async (host) => {
    const body = JSON.stringify({ sql: 'good', canWrite: false })
    expect(await send({ method: 'POST', headers: { 'x-sdk-pass': PASS, host }, body })).toEqual({ status: 200 })
  })

  it('ignores requests to other paths', async () => {
    expect((await fetch(`${url}/_sdk/other`)).status).toBe(418)
  })
})

describe('queryDevServer', () => {
  it('returns null if the dev server has stopped', async () => {
    expect(
      await queryDevServer({ ...note(PASS), url: 'http://127.0.0.1:1' }, { sql: 'good', canWrite: false }),
    ).toBeNull()
  })

  it('returns null if another process listens on that port', async () => {
    const other = createServer((_, response) => response.end('<p>Hello'))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const stale = { ...note(PASS), url: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }
    expect(await queryDevServer(stale, { sql: 'good', canWrite: false })).toBeNull()
    other.close()
  })
})

/** Sends a request with headers that `fetch` does not allow. */
async function send(options: {
  method: string
  headers: Record<string, string>
  body: string | null
}): Promise<{ status: number | undefined }> {
  const { method, headers, body } = options
  const sent = request(`${url}/_sdk/sql`, { method, headers, agent: false }).end(body ?? undefined)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode }
}
