import { createApp, createRouter, createSocket, type App } from '@sdk/server'
import { createSocketObject, createWorker } from '@sdk/server/workers'

/** The events of all requests. They share an isolate. */
const events: string[] = []

const room = createSocket({
  async open(peer) {
    await peer.join('room')
    peer.send('open')
  },
  message: (peer, message) => peer.publish('room', message),
})

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const router = createRouter()
  .on('GET /api/events', () => events)
  .on('GET /api/address', (ctx) => ctx.address)
  .on('GET /api/later', (ctx) => {
    ctx.waitUntil(wait(50).then(() => events.push('later')))
    return 'now'
  })
  .on('GET /api/slow', async (ctx) => {
    events.push('slow')
    ctx.signal.addEventListener('abort', () => events.push('abort'))
    try {
      await wait(200)
    } finally {
      events.push('finally')
    }
  })
  .on('GET /api/count', async function* (ctx) {
    try {
      for (let i = 0; ; i++) {
        yield i
        await wait(10)
      }
    } finally {
      await wait(10)
      events.push(`end ${ctx.signal.aborted}`)
    }
  })
  .on('POST /api/say', async (ctx) => {
    await ctx.publish('room', 'from HTTP')
    return (await ctx.presence('room')).length
  })
  .socket('/ws/room', room)
  .onStart(() => void events.push('start'))

/** Creates the app, which logs a line for every request. */
export function createTestApp(): App {
  return createApp({ router, rateLimit: false })
}

export const Sockets = createSocketObject(createTestApp)

/** Requests choose their object in the query. */
const objectFor = (request: Request): string | null => new URL(request.url).searchParams.get('object')

// oxlint-disable-next-line import/no-default-export -- required by Workers
export default createWorker(createTestApp(), { objectFor })
