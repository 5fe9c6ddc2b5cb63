import { createServer } from 'node:http'
import crossws from 'crossws/adapters/node'
import { report } from '../harness/report.mjs'

const sockets = crossws({
  hooks: {
    message(peer, data) {
      const message = data.json()
      if (message.op === 'echo') peer.send(message)
      else if (message.op === 'publish') peer.publish(message.room, message)
      else {
        peer.subscribe(message.room)
        peer.send({ op: 'joined' })
      }
    },
  },
  serverOptions: { perMessageDeflate: false },
})
const server = createServer()
server.on('upgrade', sockets.handleUpgrade)
server.listen(0, '127.0.0.1', () => report(server.address().port))
