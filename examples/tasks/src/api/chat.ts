/** Shows a socket: a room, and messages that arrive once and in order. */
import { ApiError, createSocket, type Peer } from '@sdk/server'
import { z } from 'zod'
import { keepMessage, message } from './messages.ts'

/** The room of all signed-in users. */
export const LOBBY = 'lobby'

/** One room for all signed-in users. */
export const chat = createSocket({
  description: 'One room for all signed-in users',
  receive: z.object({ key: z.string().min(8).max(64), text: z.string().trim().min(1).max(2000) }), // from the browser
  send: message, // to the browser
  async open(peer) {
    await userOf(peer)
    await peer.join(LOBBY)
  },
  async message(peer, { key, text }) {
    const { id, name } = await userOf(peer)
    // After a crash a message may arrive twice: the key deduplicates it. It contains the user, so users cannot collide.
    const kept = await keepMessage({ key: `${id} ${key}`, userId: id, name, text })
    await peer.publish(LOBBY, kept)
  },
})

async function userOf(peer: Peer): Promise<{ id: string; name: string }> {
  const user = await peer.auth?.getUser()
  if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to chat')
  return user
}
