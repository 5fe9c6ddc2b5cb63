// Our server with the limits on load lifted, and all other settings as users run it.
import { createApp, createLog, createRouter, createSocket, serve } from '@sdk/server'
import { report } from '../harness/report.mjs'

const bench = createSocket({
  message(peer, message) {
    if (message.op === 'echo') return peer.send(message)
    if (message.op === 'publish') return peer.publish(message.room, message)
    return peer.join(message.room).then(() => peer.send({ op: 'joined' }))
  },
})
const app = createApp({
  router: createRouter().socket('/ws/bench', bench),
  limits: { socket: { rate: false, perAddress: 100_000, perUser: 100_000 } },
  rateLimit: false,
  log: createLog({ level: 'error' }),
})
const { port } = await serve(app, { port: 0 })
report(port)
