// One process of the service. All processes are identical; shared state is in the engine.
import { postgresEngine } from '@sdk/database'
import { redisEngine } from '@sdk/redis'
import { createApp, createRouter, createSocket, memoryEngine, serve, type Engine } from '@sdk/server'
import { z } from 'zod'

const rooms = createSocket({
  description: 'Members of a room receive its messages in the same order, in every process',
  receive: z.object({ say: z.string().max(2000) }),
  send: z.object({ text: z.string(), by: z.number() }),
  // The room is in the URL (/ws/rooms?room=lobby), so a client joins it again after a reconnect to any process.
  open: (peer) => peer.join(peer.query['room'] ?? 'lobby'),
  message: (peer, { say }) => peer.publish(peer.query['room'] ?? 'lobby', { text: say, by: process.pid }),
})

const router = createRouter()
  .on('GET /api/hello', () => ({ hello: 'world', by: process.pid }))
  .socket('/ws/rooms', rooms)

const engine = openEngine()
const app = createApp({ router, engine })
const server = await serve(app, { port: Number(process.env['PORT'] ?? 3000) })
console.log(`listening at ${server.url}`)

function openEngine(): Engine {
  const { REDIS_URL, DATABASE_URL } = process.env
  if (REDIS_URL !== undefined) return redisEngine(REDIS_URL)
  return DATABASE_URL === undefined ? memoryEngine() : postgresEngine(DATABASE_URL)
}
