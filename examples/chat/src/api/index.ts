import { createRouter, createSocket, type Peer, type Presence } from '@sdk/server'
import { z } from 'zod'
import { keep, latest, said } from './history.ts'

const people = z.object({ kind: z.literal('people'), names: z.array(z.string()) })

const chat = createSocket({
  description: 'One room of the chat: /ws/chat?room=lobby&name=Ada',
  receive: z.object({ text: z.string().trim().min(1).max(2000) }),
  send: z.discriminatedUnion('kind', [said, people]),
  // Called for every connection, including reconnects. The SDK resends the messages that a client missed.
  async open(peer) {
    const { room, name } = placeOf(peer)
    await peer.join(room, {
      presence: name,
      onPresence: (present) => peer.send({ kind: 'people', names: namesOf(present) }),
    })
  },
  async message(peer, { text }) {
    const { messageId } = peer
    const words = await keep({ ...placeOf(peer), text, messageId })
    // Null: the client sent the message again after a crash, and it has already been published.
    if (words !== null) await peer.publish(placeOf(peer).room, words)
  },
})

export default createRouter()
  .on('GET /api/rooms/:room/messages', (ctx) => latest(ctx.params.room))
  .socket('/ws/chat', chat)

/** Returns the room and the name of a client. Both are in the URL, so they survive a reconnect to another process. */
function placeOf({ query }: Pick<Peer, 'query'>): { room: string; name: string } {
  return { room: (query['room'] ?? 'lobby').slice(0, 40), name: (query['name'] ?? 'guest').slice(0, 40) }
}

/** Returns each name once, even if a user has two tabs open. */
function namesOf(present: readonly Presence[]): string[] {
  return [...new Set(present.map(({ data }) => String(data)))].toSorted()
}
