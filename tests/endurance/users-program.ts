// A process that creates a user, and stops between the rows of the user and of the password. It waits to be killed.
import { createAuth } from '@sdk/auth'
import { openAuthSource } from './users-source.ts'

/** The ways to store users. */
export type UserStore = 'PGlite' | 'PostgreSQL' | 'Drizzle'

const [kind = '', url = ''] = process.argv.slice(2)

const pausing = {
  id: 'pausing',
  init: () => ({ options: { databaseHooks: { account: { create: { before: pause } } } } }),
}

async function pause(): Promise<void> {
  console.log('between the rows')
  await new Promise((resolve) => setTimeout(resolve, 600_000))
}

const { source } = await openAuthSource(kind, url)
const auth = createAuth({ ...source, plugins: [pausing] })
const early = await auth.users.create({ name: 'Grace', email: 'grace@example.com' })
console.log(`created ${early.email}`)
await auth.users.create({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' })
