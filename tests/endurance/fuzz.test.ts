import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { isEnvelope } from '@sdk/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { type Child, startChild } from './child.ts'
import type { FuzzReport } from './fuzz-server.ts'
import { hostileBytes } from './hostile-bytes.ts'
import { type HostileBody, hostileBody } from './hostile-json.ts'

// The same requests in every run; FUZZ_SEED=… uses others. A failure prints the seed.
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260)
const RAW = choose(10_000, 500)
const BODIES = choose(10_000, 500)
/** Requests of each kind before the memory is measured. */
const WARM_UP = choose(1_000, 200)
/** The number of concurrent requests. */
const BATCH = 100
/** The time before the client half-closes a connection, in ms. */
const HALF_CLOSE_MS = 30
const ALLOWED_GROWTH = 4 * 2 ** 20

let child: Child<FuzzReport>
let before: FuzzReport
const statuses = new Map<number, number>()

beforeAll(async () => {
  child = await startChild<FuzzReport>('fuzz-server.ts')
  // A warm server has compiled code, caches and buffers. Failures are ignored here; the tests report them.
  await sendAll(fc.sample(hostileBytes, { numRuns: WARM_UP, seed: SEED + 1 }), (one) => sendBytes(one).catch(() => {}))
  await sendAll(fc.sample(hostileBody, { numRuns: WARM_UP, seed: SEED + 1 }), (one) => sendBody(one).catch(() => {}))
  statuses.clear()
  before = await child.report()
})
afterAll(async () => {
  agent.destroy()
  await child?.stop()
})

describe(`${RAW + BODIES} hostile requests`, () => {
  it(`never cause a 5xx: ${RAW} with arbitrary bytes`, async () => {
    await assertAll(hostileBytes, RAW, sendBytes)
    // The test is only meaningful if most requests have a response, with different statuses.
    const responses = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    expect(responses).toBeGreaterThan(RAW * 0.9)
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 204, 400, 404, 405, 414, 415, 431]))
  })

  it(`never cause a 5xx: ${BODIES} with arbitrary JSON`, async () => {
    statuses.clear()
    await assertAll(hostileBody, BODIES, sendBody)
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(BODIES)
    expect(statuses.get(200)).toBeGreaterThan(BODIES * 0.1)
    expect(statuses.get(400)).toBeGreaterThan(BODIES * 0.1)
    expect(statuses.get(415)).toBeGreaterThan(BODIES * 0.02)
  })

  it('cause no uncaught errors, prototype pollution or memory leak', async () => {
    const after = await child.report()
    expect(after.unhandled, 'uncaught errors').toEqual([])
    expect(after.isPolluted).toBe(false)
    expect((after.heapUsed - before.heapUsed) / 2 ** 20, 'MB more in use').toBeLessThan(ALLOWED_GROWTH / 2 ** 20)
  })

  it('are not logged as errors of the server', async () => {
    expect((await child.report()).errors).toEqual([])
  })
})

/** Checks a property on `count` values, in batches; the message of a failure has the seed and the value. */
async function assertAll<T>(
  arbitrary: fc.Arbitrary<T>,
  count: number,
  send: (value: T) => Promise<void>,
): Promise<void> {
  const batches = fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH })
  const property = fc.asyncProperty(batches, (batch) => sendAll(batch, send))
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    numRuns: count / BATCH,
    seed: SEED,
    endOnFailure: true,
  })
  if (failed) throw new Error(`with seed ${SEED}, in batch ${counterexamplePath}`, { cause: errorInstance })
}

/** Sends all values in batches; throws the first failure of a batch when its requests have ended. */
async function sendAll<T>(values: readonly T[], send: (value: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < values.length; at += BATCH) {
    const sent = await Promise.allSettled(values.slice(at, at + BATCH).map(send))
    for (const one of sent) if (one.status === 'rejected') throw one.reason
  }
}

/** Sends bytes over a new connection and half-closes it; the responses must be valid. */
async function sendBytes(bytes: Buffer): Promise<void> {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = connect(child.port, '127.0.0.1', () => {
      socket.write(bytes)
      setTimeout(() => socket.end(), HALF_CLOSE_MS)
    })
    socket.setTimeout(15_000, () => {
      reject(new Error(`the response did not end: ${show(bytes)}`))
      socket.destroy()
    })
    socket.on('data', (part: Buffer) => parts.push(part))
    // The server may close the connection while the client is sending.
    socket.on('error', () => undefined).on('close', () => resolve(Buffer.concat(parts)))
  })
  let text = received.toString('latin1')
  while (text !== '') {
    const [head, status = '', rest = ''] = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n([^]*)$/.exec(text) ?? []
    if (head === undefined) throw new Error(`${show(text)} is not a response, to ${show(bytes)}`)
    const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, head.length - rest.length))?.[1]
    // Without a length it is a stream, or has no content.
    const end =
      length === undefined ? (/^(?:[\da-f]+\r\n[^]*?\r\n)*?0\r\n\r\n/i.exec(rest)?.[0].length ?? 0) : Number(length)
    checkResponse(Number(status), rest.slice(0, end), show(bytes))
    text = rest.slice(end)
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a body over a reused connection; the response must be valid, and an echo must be equal. */
async function sendBody({ line, type, body }: HostileBody): Promise<void> {
  const [method, path] = line.split(' ')
  const [status, text] = await new Promise<[number, string]>((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': body.length }
    const request = httpRequest({ port: child.port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject)
      response.on('end', () => resolve([response.statusCode ?? 0, Buffer.concat(parts).toString()]))
    })
    request.on('error', reject).end(body)
  })
  checkResponse(status, text, `${line} ${show(body)}`)
  if (status === 200 && path === '/agent/echo' && body.length > 0) {
    // JSON has no infinity: 1e999 comes back as null.
    const echo = JSON.stringify(JSON.parse(body.toString()))
    if (text !== echo) throw new Error(`the echo of ${echo} is ${text}`)
  }
}

function checkResponse(status: number, body: string, request: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (status >= 500) throw new Error(`${status} ${body} to ${request}`)
  if (status >= 400 && body !== '' && !isEnvelope(parse(body)))
    throw new Error(`${status} without the envelope, ${show(body)}, to ${request}`)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // the caller checks whether it is an envelope
  }
}

function show(text: Buffer | string): string {
  const whole = JSON.stringify(text.toString('latin1'))
  return whole.length > 1_500 ? `${whole.slice(0, 1_500)}…` : whole
}
