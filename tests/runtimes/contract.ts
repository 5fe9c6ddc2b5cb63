import { connect } from 'node:net'
import { expect } from 'vitest'
import { seen, untilSeen, type Line } from './line.ts'
import type { RunningServer } from './runtimes.ts'
import { NO_DRAIN, SOCKET_LINES } from './socket-contract.ts'

/** Sends JSON. */
function post(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) }
  return fetch(url, { method: 'POST', ...init, headers, body: JSON.stringify(body) })
}

/** Expects an error envelope. */
async function expectError(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json'])
  expect(await response.json()).toMatchObject({ error: { code, message: expect.any(String) as unknown } })
}

const HTTP_LINES: readonly Line[] = [
  {
    part: 'HTTP',
    title: 'GET, HEAD, POST, PUT, DELETE and OPTIONS',
    async check({ url }) {
      expect(await (await fetch(`${url}/api/query?q=a%20b%2Fc`)).json()).toEqual({ q: 'a b/c' })
      const head = await fetch(`${url}/api/query?q=1`, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(await (await post(`${url}/api/echo`, { text: 'é🙂' })).json()).toEqual({ text: 'é🙂' })
      expect(await (await post(`${url}/api/echo`, [1, null], { method: 'PUT' })).json()).toEqual([1, null])
      expect((await fetch(`${url}/api/echo`, { method: 'DELETE' })).status).toBe(204)
      const options = await fetch(`${url}/api/echo`, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('allow')]).toEqual([204, expect.stringContaining('POST')])
    },
  },
  {
    part: 'HTTP',
    title: 'Headers in both directions, repeated `Set-Cookie` headers, and the address of the client',
    async check({ url }) {
      const response = await fetch(`${url}/api/address`, { headers: { 'x-request-id': 'a-request-id-of-the-client' } })
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('x-request-id')).toMatch(/.{8}/)
      expect(await response.json()).toEqual({ address: '127.0.0.1', host: new URL(url).host })
      expect((await fetch(`${url}/api/cookies`)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    },
  },
  {
    part: 'HTTP',
    title: 'Raw bodies, and `ctx.request` after the body was validated',
    async check({ url }) {
      const bytes = new Uint8Array(50_000).fill(200)
      expect(await (await fetch(`${url}/api/raw`, { method: 'POST', body: bytes })).json()).toEqual({ size: 50_000 })
      const again = await (await post(`${url}/api/again`, { text: 'é' })).json()
      expect(again).toEqual({ text: 'é', again: '{"text":"é"}' })
    },
  },
  {
    part: 'HTTP',
    title: 'Error envelopes: 400, 404, 405, 415, and 500 without details of the error',
    async check({ url }) {
      await expectError(await fetch(`${url}/api/nothing`), 404, 'NOT_FOUND')
      await expectError(await fetch(`${url}/api/slow`, { method: 'PATCH' }), 405, 'METHOD_NOT_ALLOWED')
      await expectError(await post(`${url}/api/echo`, { text: 1 }), 400, 'INVALID_REQUEST')
      const wrong = { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } }
      await expectError(await fetch(`${url}/api/echo`, wrong), 415, 'UNSUPPORTED_MEDIA_TYPE')
      const bytes = { method: 'POST', body: new Uint8Array([34, 255, 34]), headers: JSON_TYPE }
      await expectError(await fetch(`${url}/api/echo`, bytes), 400, 'INVALID_REQUEST')
      const response = await fetch(`${url}/api/fails`)
      expect(await response.clone().text()).not.toContain('secret')
      await expectError(response, 500, 'INTERNAL_SERVER_ERROR')
    },
  },
  {
    part: 'HTTP',
    title: 'A client that disconnects aborts `ctx.signal`',
    lacks: { workerd: 'workerd notices only a reset connection or a failed write' },
    async check(server) {
      const controller = new AbortController()
      const pending = fetch(`${server.url}/api/hangs`, { signal: controller.signal }).catch(() => null)
      await untilSeen(server, 'hangs', 1)
      controller.abort()
      await pending
      await untilSeen(server, 'hangsAborted', 1)
    },
  },
  {
    part: 'Limits',
    title: 'Bodies above the limit get 413, with and without `Content-Length`',
    async check(server) {
      // Sent without `fetch`, which may fail to write the rest of the body before it reads the response.
      const head = 'POST /api/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
      const expected = /^HTTP\/1\.1 413 [^]*"code":"CONTENT_TOO_LARGE"/
      expect(await sendBytes(server, `${head}Content-Length: 1100000\r\n\r\n`, expected)).toMatch(expected)
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(17)
      expect(await sendBytes(server, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`, expected)).toMatch(expected)
    },
  },
  {
    part: 'Limits',
    title: 'URLs above the limit get 414',
    async check({ url }) {
      await expectError(await fetch(`${url}/api/query?q=${'x'.repeat(9_000)}`), 414, 'URI_TOO_LONG')
    },
  },
  {
    part: 'Limits',
    title: 'Malformed requests get the error envelope',
    lacks: {
      bun: 'Bun responds itself, with an empty body',
      workerd: 'workerd parses requests itself, and accepts some that are malformed',
    },
    async check(server) {
      const expected = /^HTTP\/1\.1 400 [^]*"code":"INVALID_REQUEST"/
      expect(await sendBytes(server, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', expected)).toMatch(expected)
    },
  },
]

const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends bytes and resolves with the response once it is complete, or once the connection is closed. */
function sendBytes({ url }: RunningServer, bytes: string, complete: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (data) => {
      text += data.toString()
      if (complete.test(text)) socket.destroy()
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })
}

const STREAM_LINES: readonly Line[] = [
  {
    part: 'Streams',
    title: 'NDJSON and server-sent events',
    async check({ url }) {
      const lines = await (await post(`${url}/agent/count`, { to: 2_000 })).text()
      expect(lines.trimEnd().split('\n')).toHaveLength(2_000)
      const events = await post(`${url}/agent/count`, { to: 3 }, { headers: { accept: 'text/event-stream' } })
      expect(events.headers.get('content-type')).toContain('text/event-stream')
      expect((await events.text()).match(/^data: \{"n":\d\}$/gm)).toHaveLength(3)
    },
  },
  {
    part: 'Streams',
    title: 'An error in the middle of a stream is its last chunk',
    async check({ url }) {
      const text = await (await post(`${url}/agent/fails`, {})).text()
      expect(text).toMatch(/^\{"n":1\}\n.*"code":"CONFLICT"/)
    },
  },
  {
    part: 'Streams',
    title: 'A client that disconnects ends the generator',
    async check(server) {
      const before = (await seen(server))['aborted'] ?? 0
      const controller = new AbortController()
      const response = await post(`${server.url}/agent/endless`, {}, { signal: controller.signal })
      await response.body?.getReader().read()
      controller.abort()
      await untilSeen(server, 'aborted', before + 1)
    },
  },
  {
    part: 'Streams',
    title: 'Backpressure: a client that stops reading pauses the generator',
    async check(server) {
      const controller = new AbortController()
      const response = await post(`${server.url}/agent/endless`, {}, { signal: controller.signal })
      await response.body?.getReader().read()
      // 2,000 chunks are 32 MB, which is more than the operating system buffers.
      let last = -1
      const hasStopped = async (): Promise<boolean> => {
        const { produced = 0 } = await seen(server)
        const isSame = produced === last
        last = produced
        return isSame
      }
      await expect.poll(hasStopped, { interval: 300 }).toBe(true)
      controller.abort()
      expect(last).toBeLessThan(2_000)
    },
  },
]

const DRAIN_LINES: readonly Line[] = [
  {
    part: 'Drain',
    title: 'SIGTERM: pending requests finish, no new connection is accepted, and the process exits with 0',
    lacks: { workerd: NO_DRAIN },
    isLast: true,
    async check(server) {
      const pending = fetch(`${server.url}/api/slow`)
      await untilSeen(server, 'slow', 1)
      const exit = server.stop()
      expect(await (await pending).json()).toEqual({ isDone: true })
      expect(await exit).toBe(0)
      await expect(fetch(`${server.url}/api/seen`)).rejects.toThrow('fetch failed')
    },
  },
]

/** All lines of the contract. */
export const CONTRACT: readonly Line[] = [...HTTP_LINES, ...STREAM_LINES, ...SOCKET_LINES, ...DRAIN_LINES]
