import { createSocket } from '@sdk/server'
import { z } from 'zod'

/** A chat room for everyone who has the page open. */
export const chat = createSocket({
  description: 'A chat room for everyone',
  receive: z.object({ text: z.string().trim().min(1).max(500) }), // from the browser
  send: z.object({ from: z.string(), text: z.string() }), // to the browser
  async open(peer) {
    await peer.join('lobby')
  },
  async message(peer, { text }) {
    const user = await peer.auth?.getUser()
    await peer.publish('lobby', { from: user?.name ?? 'guest', text })
  },
})
