import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { HOSTILE_SHAPES } from './hostile-shapes.ts'
import { addRow, choose } from './mode.ts'
import { later } from './sockets/lives.ts'
import type { Unbounded } from './unbounded-server.ts'

const texts = Object.values(HOSTILE_SHAPES).map((make) => make())
const COUNT = choose(1_000, texts.length)
/** The number of concurrent clients. */
const CLIENTS = 4
const SCHEMAS: Unbounded[] = ['three', 'twelve', 'union']

/** Returns an attack; each round starts with another schema, so that each schema gets each shape. */
function attackAt(at: number): { schema: Unbounded; text: string } {
  const schema = SCHEMAS[(at + Math.floor(at / texts.length)) % SCHEMAS.length] ?? 'three'
  return { schema, text: texts[at % texts.length] ?? '' }
}

let server: NodeProcess
beforeAll(async () => {
  const env = { NODE_ENV: 'production', NODE_OPTIONS: '--max-old-space-size=256' }
  server = await spawnNode({ file: join(import.meta.dirname, 'unbounded-server.ts'), env })
})
afterAll(() => server?.kill())

describe('a server with 256 MB whose lists have no maximum', () => {
  it(`rejects ${COUNT} hostile bodies of 1 MiB and serves other requests meanwhile`, async () => {
    const statuses = new Set<number>()
    const p99 = await whileProbing(() =>
      inParallel(async ({ schema, text }) => {
        statuses.add((await post(`/agent/${schema}`, text)).status)
      }),
    )
    expect(statuses, server.output().slice(-2_000)).toEqual(new Set([400, 413]))
    report('bodies', p99)
  })

  it(`replies to ${COUNT} hostile socket messages of 1 MiB and closes no connection`, async () => {
    const codes = new Set<string>()
    const p99 = await whileProbing(() =>
      inParallel(async ({ schema, text }) => {
        const reply = JSON.parse(await sendMessage(schema, text)) as { error: { code: string } } | 'accepted'
        codes.add(reply === 'accepted' ? reply : reply.error.code)
      }),
    )
    // Sockets drop fields that are not in the schema.
    expect([...codes].toSorted()).toEqual(['CONTENT_TOO_LARGE', 'INVALID_REQUEST', 'accepted'])
    for (const socket of sockets.values()) expect(socket.readyState).toBe(WebSocket.OPEN)
    for (const socket of sockets.values()) socket.terminate()
    report('messages', p99)
  })

  it.each([
    ['50,000 numbers', 'numbers', JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at)), 50_000],
    ['1,000 rows of 25 fields', 'rows', JSON.stringify({ rows: Array.from({ length: 1_000 }, toRow) }), 1_000],
    [
      '20,000 objects',
      'many',
      `[${'{"id":"","role":"","content":""},'.repeat(19_999)}{"id":"","role":"","content":""}]`,
      20_000,
    ],
  ])('accepts %s if the schema allows them', async (_name, agent, text, length) => {
    expect(await post(`/agent/${agent}`, text)).toEqual({ status: 200, body: String(length) })
  })
})

function toRow(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, 'some text']))
}

async function post(path: string, text: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  return { status: response.status, body: await response.text() }
}

/** Sends `COUNT` attacks, some at the same time. */
async function inParallel(send: (attack: { schema: string; text: string }) => Promise<void>): Promise<void> {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < COUNT) await send(attackAt(next++))
  }
  await Promise.all(Array.from({ length: CLIENTS }, work))
}

const sockets = new Map<string, WebSocket>()
const turns = new Map<string, Promise<unknown>>()

/** Sends a message to a socket after the reply to the previous one. */
function sendMessage(name: string, text: string): Promise<string> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(async () => {
    const socket = sockets.get(name) ?? (await openSocket(name))
    const reply = new Promise<string>((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(data.toString()))
      socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
    })
    socket.send(text)
    return reply
  })
  turns.set(name, turn)
  return turn
}

async function openSocket(name: string): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/${name}`).setMaxListeners(0)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  sockets.set(name, socket)
  return socket
}

/** Requests `/healthz` every 10 ms on a separate connection. Returns the 99th percentile of the times, in ms. */
async function whileProbing(work: () => Promise<void>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const done = new AbortController()
  const probe = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const started = performance.now()
      expect(await healthz(agent)).toBe(200)
      times.push(performance.now() - started)
      await later(10)
    }
  }
  const probing = probe()
  await work().finally(() => done.abort())
  await probing
  agent.destroy()
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

function healthz(agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${server.url}/healthz`, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
      .once('error', reject)
      .end()
  })
}

/** Only the full tests check times, since the machine of the short ones is busy with other tests. */
function report(kind: string, p99: number): void {
  addRow({ name: `hostile ${kind} of 1 MiB`, count: COUNT, 'healthz p99 in ms': Math.round(p99) })
  expect(p99).toBeLessThanOrEqual(choose(500, Number.POSITIVE_INFINITY))
}
