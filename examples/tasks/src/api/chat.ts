/** Shows a socket: a room, its members, and messages that arrive once and in order. */
import { ApiError, createSocket, type Peer, type Presence } from '@sdk/server'
import { z } from 'zod'
import { keepMessage, message } from './messages.ts'

/** The room of all signed-in users. */
export const LOBBY = 'lobby'

const person = z.object({ userId: z.string(), name: z.string() })

/** A message to the browser: a chat message, or the current members. */
const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), message }),
  z.object({ kind: z.literal('people'), people: z.array(person) }),
])

/** One room for all signed-in users. */
export const chat = createSocket({
  description: 'One room for all signed-in users, with presence',
  receive: z.object({ key: z.string().min(8).max(64), text: z.string().trim().min(1).max(2000) }), // from the browser
  send: news, // to the browser
  async open(peer) {
    const { id, name } = await userOf(peer)
    await peer.join(LOBBY, {
      presence: { userId: id, name },
      // Also called when a server crashes with all its connections.
      onPresence: (present) => peer.send({ kind: 'people', people: peopleOf(present) }),
    })
  },
  async message(peer, { key, text }) {
    const { id, name } = await userOf(peer)
    // After a crash a message may arrive twice: the key deduplicates it. It contains the user, so users cannot collide.
    const kept = await keepMessage({ key: `${id} ${key}`, userId: id, name, text })
    await peer.publish(LOBBY, { kind: 'message', message: kept })
  },
})

async function userOf(peer: Peer): Promise<{ id: string; name: string }> {
  const user = await peer.auth?.getUser()
  if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to chat')
  return user
}

/** Returns each user once, even with three open tabs. */
function peopleOf(present: readonly Presence[]): z.infer<typeof person>[] {
  const all = present.map(({ data }) => person.parse(data))
  const people = [...new Map(all.map((one) => [one.userId, one])).values()]
  return people.toSorted((a, b) => a.name.localeCompare(b.name))
}
