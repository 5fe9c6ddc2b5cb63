import { ApiError, createAgent, createApp, createRouter, createSocket, type App } from '@sdk/server'
import { z } from 'zod'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const COOKIES: [string, string][] = [
  ['set-cookie', 'a=1'],
  ['set-cookie', 'b=2'],
]
/** The events that clients cannot observe themselves. */
const seen: Record<string, number> = { produced: 0, handled: 0 }
const see = (name: string): number => (seen[name] = (seen[name] ?? 0) + 1)

const count = createAgent('count', {
  input: z.object({ to: z.number() }),
  async *handler(_, { to }) {
    for (let n = 1; n <= to; n++) yield { n }
  },
})

const fails = createAgent('fails', {
  async *handler() {
    yield { n: 1 }
    throw new ApiError('CONFLICT', 'stopped in mid-stream')
  },
})

const endless = createAgent('endless', {
  async *handler(ctx) {
    try {
      for (;;) {
        yield { n: see('produced'), filler: 'x'.repeat(16_384) }
        await pause(1)
      }
    } finally {
      see(ctx.signal.aborted ? 'aborted' : 'ended')
    }
  },
})

const router = createRouter()
  .on('GET /api/seen', () => seen)
  .on('GET /api/query', { query: z.object({ q: z.string() }), handler: (ctx) => ctx.query })
  .on('POST /api/echo', { input: z.object({ text: z.string() }), handler: (_, input) => input })
  .on('PUT /api/echo', { input: z.unknown(), handler: (_, input) => input })
  .on('DELETE /api/echo', () => new Response(null, { status: 204 }))
  .on('GET /api/address', (ctx) => ({ address: ctx.address, host: ctx.header('host') }))
  .on('GET /api/cookies', () => new Response('two', { headers: new Headers(COOKIES) }))
  .on('POST /api/raw', { raw: true, handler: async (ctx) => ({ size: (await ctx.request.arrayBuffer()).byteLength }) })
  .on('POST /api/again', {
    input: z.object({ text: z.string() }),
    handler: async (ctx, { text }) => ({ text, again: await ctx.request.text() }),
  })
  .on('GET /api/fails', () => {
    throw new Error('secret')
  })
  .on('GET /api/slow', async () => {
    see('slow')
    await pause(500)
    return { isDone: true }
  })
  .on('GET /api/hangs', async (ctx) => {
    see('hangs')
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
    see('hangsAborted')
    return {}
  })
  .socket(
    '/ws/echo',
    createSocket({ receive: z.unknown(), message: (peer, message) => (see('handled'), peer.send(message)) }),
  )
  .socket(
    '/ws/typed',
    createSocket({ receive: z.object({ n: z.number() }), message: (peer, { n }) => peer.send({ n }) }),
  )
  .socket(
    '/ws/slow',
    createSocket({
      async message(peer, message) {
        see('started')
        await pause(300)
        see('handled-slowly')
        peer.send(message)
      },
    }),
  )
  .socket(
    '/ws/room',
    createSocket({
      open: (peer) => peer.join('room'),
      message: (peer, message) => peer.publish('room', message),
      close: () => void see('left'),
    }),
  )
  .socket('/ws/throws', createSocket({ message: () => Promise.reject(new Error('secret')) }))
  .socket('/ws/finish', createSocket({ message: (peer) => peer.close() }))
  .socket(
    '/ws/flood',
    createSocket({
      message(peer) {
        for (let i = 0; i < 300; i++) peer.send('x'.repeat(100_000))
      },
      close: () => void see('left-flood'),
    }),
  )

/** Creates the app of the contract suite. */
export function createContractApp(): App {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const limits = { socket: { perAddress: 20, payload: 100_000, slow: 1_000, heartbeat: 1_000 } }
  return createApp({ agents: [count, fails, endless], router, log: silent, rateLimit: false, limits })
}
