import { connect, type Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { type Child, startChild } from './child.ts'
import { createRandom } from './random.ts'
import type { StreamsReport } from './streams-server.ts'

// The same aborts in every run; STREAMS_SEED=… uses others. A failure prints the seed.
const SEED = Number(process.env['STREAMS_SEED'] ?? 20_260)
/** The short form has each combination of a kind, a format and an abort once. */
const STREAMS = choose(1_000, 72)
/** The longest time before a stream starts, and until it is aborted, in ms. */
const MOST_MS = choose(1_000, 200)
const random = createRandom(SEED)
const KINDS = ['tokens', 'flood', 'patient', 'readable']

let child: Child<StreamsReport>
let before: StreamsReport
let after: StreamsReport
beforeAll(async () => {
  child = await startChild<StreamsReport>('streams-server.ts')
  await run(36)
  before = await settled()
  await run(STREAMS)
  after = await settled()
})
afterAll(() => child?.stop())

describe(`${STREAMS} streams that clients abort at random times (seed ${SEED})`, () => {
  it('include many of every kind', () => {
    for (const kind of KINDS) {
      expect(more('begun')[kind], kind).toBeGreaterThan(STREAMS / 8)
    }
  })

  it('all run their finally block', () => {
    expect(after.ended).toEqual(after.begun)
  })

  it('all have an aborted signal and call its listeners', () => {
    expect(after.aborted).toEqual(after.begun)
    expect(after.notified).toEqual(after.begun)
  })

  it('leave no connections, timers or handles open', () => {
    expect(after.connections).toBe(0)
    expect(after.resources).toEqual(before.resources)
  })

  it('cause no uncaught or logged errors', () => {
    expect(after.unhandled).toEqual([])
    expect([...new Set(after.errors)]).toEqual([])
  })
})

function more(counts: 'begun' | 'ended'): Record<string, number> {
  return Object.fromEntries(Object.entries(after[counts]).map(([kind, n]) => [kind, n - (before[counts][kind] ?? 0)]))
}

/** Returns the state when all connections are closed and all streams have ended, or after a timeout. */
async function settled(): Promise<StreamsReport> {
  const until = performance.now() + 20_000
  for (;;) {
    const state = await child.report()
    const isQuiet = state.connections === 0 && isDeepStrictEqual(state.ended, state.begun)
    const isClean = before === undefined || isDeepStrictEqual(state.resources, before.resources)
    if ((isQuiet && isClean) || performance.now() > until) return state
    await later(50)
  }
}

/** Opens `count` concurrent streams, and waits until the last one is aborted. */
async function run(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, turn) => cutOne(turn)))
}

async function cutOne(turn: number): Promise<void> {
  const { request, cut } = STREAM_CUTS[turn % STREAM_CUTS.length] as StreamCut
  await later(random.below(MOST_MS / 2))
  const socket = connect(child.port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => {
    // Errors are expected, since the connections are aborted.
    socket.on('error', () => undefined).on('close', () => resolve())
  })
  socket.setTimeout(20_000, () => socket.destroy(new Error('the server does not respond')))
  await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))
  await cut(socket, request)
  await closed
}

type Cut = (socket: Socket, request: string) => Promise<void>

/** The ways in which clients abort. */
const CUTS: readonly Cut[] = [
  // During the request.
  async (socket, request) => {
    socket.write(request.slice(0, random.below(request.length)))
    await later(random.below(20))
    socket.destroy()
  },
  // After the request was sent.
  async (socket, request) => void socket.write(request, () => socket.destroy()),
  async (socket, request) => void socket.write(request, () => socket.resetAndDestroy()),
  // At the first byte of the response.
  async (socket, request) => {
    socket.write(request)
    socket.once('data', () => socket.destroy())
  },
  async (socket, request) => {
    socket.write(request)
    socket.once('data', () => socket.resetAndDestroy())
  },
  // After reading for a while.
  async (socket, request) => {
    socket.write(request)
    socket.resume()
    await later(random.below(MOST_MS))
    socket.destroy()
  },
  async (socket, request) => {
    socket.write(request)
    socket.resume()
    await later(random.below(MOST_MS))
    socket.resetAndDestroy()
  },
  // After a half-close, while still reading for a moment.
  async (socket, request) => {
    socket.write(request)
    socket.resume()
    await later(random.below(MOST_MS / 2))
    socket.end()
    await later(random.below(MOST_MS / 2))
    socket.destroy()
  },
  // Without reading, so that the buffers of the server are full.
  async (socket, request) => {
    socket.pause()
    socket.write(request)
    await later(200 + random.below(MOST_MS))
    socket.destroy()
  },
]

interface StreamCut {
  readonly request: string
  readonly cut: Cut
}

/** Each way to abort, for each kind of stream in each format. */
const STREAM_CUTS: readonly StreamCut[] = CUTS.flatMap((cut) =>
  KINDS.flatMap((kind) =>
    ['application/x-ndjson', 'text/event-stream'].map((accept) => ({ request: toRequest(kind, accept), cut })),
  ),
)

function toRequest(kind: string, accept: string): string {
  return `POST /agent/${kind} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull`
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
