import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter, createSocket } from '@sdk/server'
import { z } from 'zod'
import { auth } from '../auth.ts'
import { database } from '../database.ts'
import { notes } from './notes.ts'
import { tasks } from './tasks.ts'

const chat = createSocket({
  description: 'One room for everybody',
  receive: z.object({ text: z.string().min(1).max(2000) }),
  send: z.object({ from: z.string(), text: z.string() }),
  async open(peer) {
    await peer.join('lobby')
  },
  async message(peer, message) {
    const user = await peer.auth?.getUser()
    await peer.publish('lobby', { from: user?.name ?? 'guest', text: message.text })
  },
})

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('GET /api/status', () => ({ status: 'ok', database: database.kind }))
  .resource('v1', tasks)
  .resource('v1', notes)
  .socket('/ws/chat', chat)
