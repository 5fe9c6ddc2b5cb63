// A process that changes users, and stops in the middle of the rows that belong together. It waits to be killed.
import { createAuth } from '@sdk/auth'
import { openAuthSource } from './users-source.ts'

/** The ways to store users. */
export type UserStore = 'PGlite' | 'PostgreSQL' | 'Drizzle'

/** The calls that change several rows. */
export type UserCall = 'create' | 'setPassword' | 'delete'

/** A call to stop in, on a database. */
export interface UserStory {
  readonly kind: UserStore
  readonly url: string
  readonly call: UserCall
}

const stories = JSON.parse(process.argv[2] ?? '') as UserStory[]

await Promise.all(
  stories.map(async ({ kind, url, call }, index) => {
    /** Whether hooks pause: only in the call that is tested. */
    let isCalling = false
    const pause = async (): Promise<void> => {
      if (!isCalling) return
      console.log(`${index} is between the rows`)
      await new Promise((resolve) => setTimeout(resolve, 600_000))
    }
    const pausing = { id: 'pausing', init: () => ({ options: { databaseHooks: toHooks(pause)[call] } }) }
    const { source } = await openAuthSource(kind, url)
    const { users } = createAuth({ ...source, plugins: [pausing] })
    const grace = await users.create({ name: 'Grace', email: 'grace@example.com', password: 'battery staple' })
    const { token } = await users.createSession(grace.id)
    console.log(`${index} created ${token}`)
    isCalling = true
    if (call === 'create') await users.create({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
    if (call === 'setPassword') await users.setPassword(grace.id, 'correct horse')
    if (call === 'delete') await users.delete(grace.id)
  }),
)

/** Returns hooks that run after the first row of a call is written, and before the last. */
function toHooks(before: () => Promise<void>): Record<UserCall, object> {
  return {
    create: { account: { create: { before } } },
    setPassword: { session: { delete: { before } } },
    delete: { user: { delete: { before } } },
  }
}
