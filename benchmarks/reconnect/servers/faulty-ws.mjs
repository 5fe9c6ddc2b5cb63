// A `ws` server with the fault that the client's query requests; it sends clients of sdk.v1 the required frames first.
import { WebSocketServer } from 'ws'
import { report } from '../../harness/report.mjs'
import { createFaults } from './faults.mjs'

const OK = { o: 'ok', sid: 'bench', res: false, ack: 0, hb: 20_000, win: 256, max: 1_048_576, spread: 2_000 }
const faults = createFaults()
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: 0,
  handleProtocols: (offered) => (offered.has('sdk.v1') ? 'sdk.v1' : false),
})

server.on('connection', (socket, request) => {
  const query = Object.fromEntries(new URL(request.url, 'http://localhost').searchParams)
  const close = (code) => (code === 1006 ? socket.terminate() : socket.close(code))
  const opened = () => faults.opened(query, close)
  socket.on('error', () => {}) // a close comes too
  if (faults.arrived(query, close)) return
  if (socket.protocol !== 'sdk.v1') return opened()
  socket.on('message', (data) => {
    const { o } = JSON.parse(data)
    if (o === 'hi') socket.send(JSON.stringify(OK))
    if (o === 'hi') opened()
    if (o === 'p') socket.send('{"o":"q"}')
  })
})
server.on('listening', () => report(server.address().port))
