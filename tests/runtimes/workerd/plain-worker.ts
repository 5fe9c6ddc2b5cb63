import { createAgent, createApp, createRouter, createSocket, serve } from '@sdk/server'
import { createSocketObject, createWorker } from '@sdk/server/workers'

const echo = createSocket({ message: (peer, message) => peer.send(message) })
const report = createAgent('report', { durable: true, handler: () => 'done' })

/** Returns the message of the error that a promise rejects with. */
const reasonOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'no error', String)

const router = createRouter()
  .socket('/ws/echo', echo)
  .on('GET /api/serve', () => reasonOf(serve(createApp())))
  .on('GET /api/durable', () => {
    const worker = createWorker(() => createApp({ agents: [report] }))
    return reasonOf(worker.fetch(new Request('http://localhost/'), {}, { waitUntil() {} }))
  })

export const Sockets = createSocketObject(() => createApp({ router }))

// oxlint-disable-next-line import/no-default-export -- required by Workers
export default createWorker(createApp({ router, rateLimit: false }))
