// Our client with default settings, except for the WebSocket class, which Node 20 lacks.
import { createClient } from '@sdk/frontend'
import { countedWebSocket } from './counted.mjs'

export function open({ base, query, tell }) {
  // A separate client, since sockets of one client share a connection.
  const client = createClient({ baseUrl: base, WebSocket: countedWebSocket(() => tell('attempt')) })
  const channel = client.socket('/ws/feed', { query })
  let last = ''
  channel.state.subscribe(() => {
    const { status } = channel.state.get()
    if (status !== last) tellStatus((last = status))
  })
  return { send: (message) => channel.send(message), close: () => channel.close() }

  function tellStatus(status) {
    if (status === 'open') tell('up')
    if (status === 'reconnecting') tell('down')
    if (status === 'failed' || status === 'closed') tell('over')
  }
}
