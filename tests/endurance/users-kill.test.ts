import { join } from 'node:path'
import { createAuth } from '@sdk/auth'
import { createDatabase, spawnNode, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import type { UserCall, UserStore, UserStory } from './users-program.ts'
import { openAuthSource } from './users-source.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

const GRACE = { email: 'grace@example.com', password: 'battery staple' }

const folder = temporaryFolder('users-kill')
afterAll(() => folder.remove())

let count = 0
const URLS: Record<UserStore, () => Promise<string>> = {
  PGlite: async () => `pglite://${join(folder.path, `data${count++}`)}`,
  PostgreSQL: () => createDatabase(),
  Drizzle: () => createDatabase(),
}

const CALLS: readonly UserCall[] = ['create', 'setPassword', 'delete']
/**
 * Every call on PostgreSQL. Drizzle differs in how it runs a transaction, so the short form kills it once. PGlite runs
 * the same statements as PostgreSQL, and resource-kill.test.ts kills it.
 */
const CASES = (Object.keys(URLS) as UserStore[])
  .filter((kind) => choose(true, kind !== 'PGlite'))
  .flatMap((kind) => {
    const calls = kind === 'PostgreSQL' ? CALLS : choose(CALLS, CALLS.slice(1, 2))
    return calls.map((call) => ({ kind, call }))
  })

const stories: UserStory[] = []
let output = ''

// One process for all cases, since starting it takes most of the time.
beforeAll(async () => {
  for (const { kind, call } of CASES) stories.push({ kind, call, url: await URLS[kind]() })
  const running = await spawnNode({
    file: join(import.meta.dirname, 'users-program.ts'),
    args: [JSON.stringify(stories)],
    env: { AUTH_SECRET: SECRET },
    ready: /is between the rows/,
  })
  await running.waitFor(new RegExp(`(?:is between the rows[^]*){${stories.length}}`))
  output = running.output()
  expect(await running.kill()).toMatchObject({ signal: 'SIGKILL' })
})

describe.each(CASES.map((one, index) => ({ ...one, index })))(
  'auth.users.$call in a process that is killed: $kind',
  ({ index }) => {
    it('changes nothing', async () => {
      const { kind, url } = stories[index] as UserStory
      const [, token = ''] = new RegExp(`^${index} created (\\S+)`, 'm').exec(output) ?? []
      const { source, close } = await openAuthSource(kind, url)
      const auth = createAuth({ ...source, secret: SECRET })
      // Only the acknowledged user exists, with the acknowledged password and session.
      expect((await auth.users.list()).data.map(({ email }) => email)).toEqual([GRACE.email])
      const { id } = await auth.users.verifyPassword(GRACE.email, GRACE.password)
      expect(await auth.getSession(new Headers({ authorization: `Bearer ${token}` }))).toMatchObject({
        session: { userId: id },
      })
      await expect(auth.users.verifyPassword(GRACE.email, ADA.password)).rejects.toMatchObject({ status: 401 })
      // The calls succeed afterwards.
      const ada = await auth.users.create(ADA)
      expect(await auth.users.verifyPassword(ADA.email, ADA.password)).toMatchObject({ id: ada.id })
      await auth.users.setPassword(id, ADA.password)
      expect(await auth.users.verifyPassword(GRACE.email, ADA.password)).toMatchObject({ id })
      await auth.users.delete(id)
      expect(await auth.users.get(id)).toBeNull()
      await auth.close()
      await close()
    })
  },
)
