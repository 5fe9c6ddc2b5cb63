/** Shows presence: the people who look at the same page now, in all tabs and on all servers. */
import { ApiError, createSocket, type Presence } from '@sdk/server'
import { z } from 'zod'

const person = z.object({ userId: z.string(), name: z.string() })

/** The people on a page of the app, which the client names with `?page=tasks`. */
export const presence = createSocket({
  description: 'The people who look at a page',
  send: z.array(person), // to the browser, whenever somebody comes or leaves
  async open(peer) {
    const user = await peer.auth?.getUser()
    if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to see who is here')
    await peer.join(`page ${peer.query['page']}`, {
      presence: { userId: user.id, name: user.name },
      // Also called when a server crashes with all its connections.
      onPresence: (present) => peer.send(peopleOf(present)),
    })
  },
})

/** Returns each user once, even with three open tabs. */
function peopleOf(present: readonly Presence[]): z.infer<typeof person>[] {
  const all = present.map(({ data }) => person.parse(data))
  const people = [...new Map(all.map((one) => [one.userId, one])).values()]
  return people.toSorted((a, b) => a.name.localeCompare(b.name))
}
