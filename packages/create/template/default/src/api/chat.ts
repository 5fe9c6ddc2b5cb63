import { createSocket } from '@sdk/server'
import { z } from 'zod'

/** One room for all connected clients. */
export const chat = createSocket({
  description: 'One room for everybody',
  receive: z.object({ text: z.string().trim().min(1).max(500) }), // from the client
  send: z.object({ from: z.string(), text: z.string() }), // to the client
  async open(peer) {
    await peer.join('lobby')
  },
  async message(peer, { text }) {
    const user = await peer.auth?.getUser()
    await peer.publish('lobby', { from: user?.name ?? 'guest', text })
  },
})
