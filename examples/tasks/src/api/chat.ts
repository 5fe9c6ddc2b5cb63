/** Shows a socket: a room, who is in it, and messages that arrive once and in order. */
import { ApiError, createSocket, type Peer, type Presence } from '@sdk/server'
import { z } from 'zod'
import { keepMessage, message } from './messages.ts'

const LOBBY = 'lobby'

const person = z.object({ userId: z.string(), name: z.string() })

/** What the page hears: a message, or who is here now. */
const news = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), message }),
  z.object({ kind: z.literal('people'), people: z.array(person) }),
])

/** One room for everybody who is signed in. */
export const chat = createSocket({
  description: 'One room for everybody, and who is in it',
  receive: z.object({ key: z.string().min(8).max(64), text: z.string().trim().min(1).max(2000) }), // from the page
  send: news, // to the page
  async open(peer) {
    const { id, name } = await userOf(peer)
    await peer.join(LOBBY, {
      presence: { userId: id, name },
      // Called also when a server dies with all its connections.
      onPresence: (present) => peer.send({ kind: 'people', people: peopleOf(present) }),
    })
  },
  async message(peer, { key, text }) {
    const { id, name } = await userOf(peer)
    // After a crash a message may come twice: the key keeps it once. It contains the user, so that users cannot clash.
    const kept = await keepMessage({ key: `${id} ${key}`, userId: id, name, text })
    await peer.publish(LOBBY, { kind: 'message', message: kept })
  },
})

async function userOf(peer: Peer): Promise<{ id: string; name: string }> {
  const user = await peer.auth?.getUser()
  if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to talk')
  return user
}

/** Each user once, also with three tabs open. */
function peopleOf(present: readonly Presence[]): z.infer<typeof person>[] {
  const all = present.map(({ data }) => person.parse(data))
  const people = [...new Map(all.map((one) => [one.userId, one])).values()]
  return people.toSorted((a, b) => a.name.localeCompare(b.name))
}
