// Hono has no rooms: uses the same loop as bare ws.
import { serve, upgradeWebSocket } from '@hono/node-server'
import { Hono } from 'hono'
import { WebSocketServer } from 'ws'
import { report } from '../harness/report.mjs'

const rooms = new Map()
const app = new Hono()
app.get(
  '/ws/bench',
  upgradeWebSocket(() => ({
    onMessage({ data }, socket) {
      const message = JSON.parse(data)
      if (message.op === 'echo') socket.send(JSON.stringify(message))
      else if (message.op === 'publish') {
        const text = JSON.stringify(message)
        for (const member of rooms.get(message.room)) member.send(text)
      } else {
        rooms.set(message.room, (rooms.get(message.room) ?? new Set()).add(socket))
        socket.send('{"op":"joined"}')
      }
    },
    onClose(_event, socket) {
      for (const members of rooms.values()) members.delete(socket)
    },
  })),
)
const server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
serve({ fetch: app.fetch, websocket: { server }, port: 0, hostname: '127.0.0.1' }, ({ port }) => report(port))
