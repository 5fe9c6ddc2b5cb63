// A process that changes a user, and stops in the middle of the rows that belong together. It waits to be killed.
import { createAuth } from '@sdk/auth'
import { openAuthSource } from './users-source.ts'

/** The ways to store users. */
export type UserStore = 'PGlite' | 'PostgreSQL' | 'Drizzle'

/** The calls that change several rows. */
export type UserCall = 'create' | 'setPassword' | 'delete'

const [kind = '', url = '', call = ''] = process.argv.slice(2)

/** Whether hooks pause: only in the call that is tested. */
let isCalling = false

async function pause(): Promise<void> {
  if (!isCalling) return
  console.log('between the rows')
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}

// Each hook runs after the first row of its call is written, and before the last.
const HOOKS: Record<UserCall, object> = {
  create: { account: { create: { before: pause } } },
  setPassword: { session: { delete: { before: pause } } },
  delete: { user: { delete: { before: pause } } },
}

const { source } = await openAuthSource(kind, url)
const pausing = { id: 'pausing', init: () => ({ options: { databaseHooks: HOOKS[call as UserCall] } }) }
const { users } = createAuth({ ...source, plugins: [pausing] })
const grace = await users.create({ name: 'Grace', email: 'grace@example.com', password: 'battery staple' })
const { token } = await users.createSession(grace.id)
console.log(`created ${token}`)
isCalling = true
if (call === 'create') await users.create({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
if (call === 'setPassword') await users.setPassword(grace.id, 'correct horse')
if (call === 'delete') await users.delete(grace.id)
