import { createAgent, createApp, createRouter, createSocket, serve } from '@sdk/server'
import { createSocketObject, createWorker } from '@sdk/server/workers'

const echo = createSocket({ message: (peer, message) => peer.send(message) })
const router = createRouter()
  .socket('/ws/echo', echo)
  .on('GET /api/serve', () => serve(app).then(() => 'served', String))
  .on('GET /api/durable', () => {
    const durable = createWorker(() => createApp({ agents: [report] }))
    return durable.fetch(new Request('http://localhost/'), {}, { waitUntil() {} }).then(() => 'created', String)
  })

const report = createAgent('report', { durable: true, handler: () => 'done' })

const app = createApp({ router, rateLimit: false })

export const Sockets = createSocketObject(() => createApp({ router }))

// oxlint-disable-next-line import/no-default-export -- required by Workers
export default createWorker(app)
