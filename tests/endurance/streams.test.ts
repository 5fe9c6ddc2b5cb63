import { connect, type Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { type Child, startChild } from './child.ts'
import { createRandom } from './random.ts'
import type { StreamsReport } from './streams-server.ts'

// The same cuts every time; STREAMS_SEED=… tries others. A failure prints it.
const SEED = Number(process.env['STREAMS_SEED'] ?? 20_260)
/** The short form has each combination of a kind, a format and a cut once. */
const STREAMS = choose(1_000, 72)
/** The longest time before a stream begins, and until it is cut, in ms. */
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

describe(`${STREAMS} streams, cut by their callers at random moments (seed ${SEED})`, () => {
  it('begin in great number, of every kind', () => {
    for (const kind of KINDS) {
      expect(more('begun')[kind], kind).toBeGreaterThan(STREAMS / 8)
    }
  })

  it('all come to their finally', () => {
    expect(after.ended).toEqual(after.begun)
  })

  it('all have their signal fired, for those who look and for those who listen', () => {
    expect(after.aborted).toEqual(after.begun)
    expect(after.told).toEqual(after.begun)
  })

  it('leave no connection, timer or handle behind', () => {
    expect(after.connections).toBe(0)
    expect(after.resources).toEqual(before.resources)
  })

  it('leave no error behind, neither uncaught nor in the log', () => {
    expect(after.unhandled).toEqual([])
    expect([...new Set(after.errors)]).toEqual([])
  })
})

function more(counts: 'begun' | 'ended'): Record<string, number> {
  return Object.fromEntries(Object.entries(after[counts]).map(([kind, n]) => [kind, n - (before[counts][kind] ?? 0)]))
}

/** The state when all connections are gone and every stream that began has ended, or when it is clear that this will not be. */
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

/** Opens so many streams side by side, and waits until the last is cut. */
async function run(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, turn) => cutOne(turn)))
}

async function cutOne(turn: number): Promise<void> {
  const { request, cut } = STREAM_CUTS[turn % STREAM_CUTS.length] as StreamCut
  await later(random.below(MOST_MS / 2))
  const socket = connect(child.port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => {
    // Cut connections break: that is the point.
    socket.on('error', () => undefined).on('close', () => resolve())
  })
  socket.setTimeout(20_000, () => socket.destroy(new Error('the server neither answers nor ends')))
  await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))
  await cut(socket, request)
  await closed
}

type Cut = (socket: Socket, request: string) => Promise<void>

/** The ways in which callers leave. */
const CUTS: readonly Cut[] = [
  // In the middle of the request.
  async (socket, request) => {
    socket.write(request.slice(0, random.below(request.length)))
    await later(random.below(20))
    socket.destroy()
  },
  // With the request on its way.
  async (socket, request) => void socket.write(request, () => socket.destroy()),
  async (socket, request) => void socket.write(request, () => socket.resetAndDestroy()),
  // At the first word of the answer.
  async (socket, request) => {
    socket.write(request)
    socket.once('data', () => socket.destroy())
  },
  async (socket, request) => {
    socket.write(request)
    socket.once('data', () => socket.resetAndDestroy())
  },
  // After a while of listening.
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
  // Politely: it says that it will send no more, and listens on for a moment.
  async (socket, request) => {
    socket.write(request)
    socket.resume()
    await later(random.below(MOST_MS / 2))
    socket.end()
    await later(random.below(MOST_MS / 2))
    socket.destroy()
  },
  // Without having read a word, so that the server's buffers are full.
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

/** Each way to leave, from each kind of stream in each format. */
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
