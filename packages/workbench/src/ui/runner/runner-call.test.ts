import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpClient, type HttpClient } from '@sdk/frontend'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EMPTY_INPUT } from '../input/call-input.ts'
import { chunkText } from '../run/stream/recording.ts'
import { createRunnerCalls, type RunnerCalls, type RunnerCallState } from './runner-call.ts'

let client: HttpClient
let handler: (request: IncomingMessage, response: ServerResponse) => void
let close: () => Promise<void>

beforeEach(async () => {
  const server = createServer((request, response) => handler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = createHttpClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

afterEach(() => close())

/** Waits for a state of the runner. */
async function until(calls: RunnerCalls, isIt: (state: RunnerCallState) => boolean): Promise<RunnerCallState> {
  await vi.waitUntil(() => isIt(calls.get()), { timeout: 15_000, interval: 5 })
  return calls.get()
}

function createWatched(route: string): RunnerCalls {
  const calls = createRunnerCalls(route)
  calls.subscribe(() => {})
  return calls
}

const isOver = ({ state }: RunnerCallState): boolean => state !== 'running' && state !== 'idle'

describe('createRunnerCalls', () => {
  it('sends the body as typed, the headers, and a request id', async () => {
    let seen: unknown[] = []
    handler = (request, response) => {
      seen = [request.method, request.url, request.headers['x-a'], request.headers['x-request-id']]
      response.setHeader('content-type', 'application/json')
      request.pipe(response)
    }
    const calls = createWatched('POST /agent/echo')
    calls.send(client, { ...EMPTY_INPUT, body: '{"n": 1.0}', headers: [['x-a', 'b']] })
    const { requestId, output, recording, state } = await until(calls, isOver)
    expect(seen).toEqual(['POST', '/agent/echo', 'b', requestId])
    expect({ state, output, status: recording.status }).toEqual({ state: 'done', output: { n: 1 }, status: 200 })
    expect(recording.chunks.map(chunkText)).toEqual(['{"n": 1.0}'])
  })

  it.each(['GET', 'DELETE', 'PUT', 'PATCH'])('calls a %s route with params and query', async (method) => {
    handler = (request, response) => response.end(`${request.method} ${request.url}`)
    const calls = createWatched(`${method} /api/v1/tasks/:id`)
    calls.send(client, { ...EMPTY_INPUT, params: { id: 'a/b' }, query: { done: true } })
    const { recording } = await until(calls, isOver)
    expect(recording.chunks.map(chunkText)).toEqual([`${method} /api/v1/tasks/a%2Fb?done=true`])
  })

  it('reports chunks as they arrive', async () => {
    let response: ServerResponse | undefined
    handler = (_request, next) => {
      response = next
      next.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('1\n')
    }
    const calls = createWatched('POST /agent/count')
    calls.send(client, EMPTY_INPUT)
    const first = await until(calls, ({ recording }) => recording.chunks.length === 1)
    expect([first.state, first.recording.status, first.recording.total]).toEqual(['running', 200, null])
    response?.end('2\n')
    const last = await until(calls, isOver)
    expect(last.output).toEqual([1, 2])
    expect(last.recording.chunks.map(chunkText)).toEqual(['1\n', '2\n'])
    expect(last.recording.total).toBeGreaterThan(0)
  })

  it('stores the error and the headers of an error response', async () => {
    const body = { error: { code: 'RATE_LIMITED', message: 'slowly', details: [] } }
    handler = (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end(JSON.stringify(body))
    const calls = createWatched('GET /api/x')
    calls.send(client, EMPTY_INPUT)
    const { state, error, recording } = await until(calls, isOver)
    expect([state, error?.code, error?.retryAfter]).toEqual(['failed', 'RATE_LIMITED', 7])
    expect(recording.headers).toContainEqual(['retry-after', '7'])
  })

  it('aborts the request on cancel without an error', async () => {
    let isGone = false
    handler = (_request, response) => {
      response.on('close', () => (isGone = true))
      response.write('a')
    }
    const calls = createWatched('POST /agent/slow')
    calls.send(client, EMPTY_INPUT)
    await until(calls, ({ recording }) => recording.chunks.length === 1)
    calls.cancel()
    const { state, error } = await until(calls, isOver)
    expect([state, error]).toEqual(['cancelled', null])
    await expect.poll(() => isGone).toBe(true)
  })

  it('ignores the response of an earlier call', async () => {
    const waiting: ServerResponse[] = []
    handler = (_request, response) => void waiting.push(response)
    const calls = createWatched('POST /agent/slow')
    calls.send(client, EMPTY_INPUT)
    await expect.poll(() => waiting.length).toBe(1)
    calls.send(client, { ...EMPTY_INPUT, body: '2' })
    await expect.poll(() => waiting.length).toBe(2)
    waiting[0]?.end('1')
    waiting[1]?.end('second')
    const { recording, sent, state } = await until(calls, isOver)
    expect([recording.chunks.map(chunkText), sent?.body, state]).toEqual([['second'], '2', 'done'])
  })

  it('cancels the call when the last listener unsubscribes', async () => {
    let isGone = false
    handler = (_request, response) => void response.on('close', () => (isGone = true)).write('a')
    const calls = createRunnerCalls('POST /agent/slow')
    const leave = calls.subscribe(() => {})
    calls.send(client, EMPTY_INPUT)
    await until(calls, ({ recording }) => recording.chunks.length === 1)
    leave()
    await expect.poll(() => isGone).toBe(true)
    expect(calls.get().state).toBe('cancelled')
  })
})
