import { join } from 'node:path'
import { createAuth } from '@sdk/auth'
import { createDatabase, spawnNode, temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import type { UserStore } from './users-program.ts'
import { openAuthSource } from './users-source.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

const folder = temporaryFolder('users-kill')
afterAll(() => folder.remove())

const URLS: Record<UserStore, () => Promise<string>> = {
  PGlite: async () => `pglite://${join(folder.path, 'data')}`,
  PostgreSQL: () => createDatabase(),
  Drizzle: () => createDatabase(),
}

describe.each(Object.entries(URLS))('auth.users.create in a process that is killed: %s', (kind, createUrl) => {
  it('leaves no user without a password', async () => {
    const url = await createUrl()
    const running = await spawnNode({
      file: join(import.meta.dirname, 'users-program.ts'),
      args: [kind, url],
      env: { AUTH_SECRET: SECRET },
      ready: /between the rows/,
    })
    expect(running.output()).toContain('created grace@example.com')
    expect(await running.kill()).toMatchObject({ signal: 'SIGKILL' })

    const { source, close } = await openAuthSource(kind, url)
    const auth = createAuth({ ...source, secret: SECRET })
    // Only the acknowledged user exists.
    expect((await auth.users.list()).data.map(({ email }) => email)).toEqual(['grace@example.com'])
    const { id } = await auth.users.create(ADA)
    expect(await auth.users.verifyPassword(ADA.email, ADA.password)).toMatchObject({ id })
    await auth.close()
    await close()
  })
})
