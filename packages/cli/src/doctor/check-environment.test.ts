import { createServer } from 'node:net'
import { freePort } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { fileProject } from '../project.test.fixture.ts'
import { checkAuth, checkDatabase, checkPort, checkRedis } from './check-environment.ts'
import type { CheckContext } from './finding.ts'

const needs = { dependencies: { '@sdk/auth': '1', '@sdk/database': '1' } }

describe('checkAuth', () => {
  it('reports missing production variables only if the app uses @sdk/auth', () => {
    expect(checkAuth(factsOf({}))).toMatchObject([
      { code: 'AUTH_SECRET_MISSING', level: 'note' },
      { code: 'AUTH_URL_MISSING', level: 'note' },
    ])
    expect(checkAuth({ ...factsOf({}), manifest: {} })).toEqual([])
  })

  it('reports a short secret without printing it', () => {
    const found = checkAuth(factsOf({ AUTH_SECRET: 'hunter2', AUTH_URL: 'https://a.b' }))
    expect(found).toMatchObject([{ code: 'AUTH_SECRET_WEAK', level: 'error' }])
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })
})

describe('checkDatabase', () => {
  it.each([
    [{}, ['DATABASE_URL_MISSING']],
    [{ DATABASE_URL: 'mysql://a' }, ['DATABASE_URL_INVALID']],
    [{ DATABASE_URL: 'postgres://u:p@' }, ['DATABASE_URL_INVALID']],
    [{ DATABASE_URL: 'pglite://memory' }, []],
    [{ DATABASE_URL: 'postgres://u@%2Fvar%2Frun/db' }, []],
  ])('given %j, reports %j', async (env, codes) => {
    expect((await checkDatabase(factsOf(env))).map(({ code }) => code)).toEqual(codes)
  })

  it('reports an unreachable database without its password', async () => {
    const found = await checkDatabase(
      factsOf({ DATABASE_URL: `postgres://u:hunter2@127.0.0.1:${await freePort()}/db` }),
    )
    expect(found).toMatchObject([{ code: 'DATABASE_UNREACHABLE', level: 'error' }])
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })
})

describe('checkRedis', () => {
  it('reports a package that is not installed and an unreachable server', async () => {
    const found = await checkRedis(factsOf({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` }))
    expect(found.map(({ code }) => code)).toEqual(['REDIS_NOT_INSTALLED', 'REDIS_UNREACHABLE'])
    expect(await checkRedis(factsOf({}))).toEqual([])
  })
})

describe('checkPort', () => {
  it('reports a port that is in use', async () => {
    const port = await freePort()
    expect(await checkPort(factsOf({ PORT: String(port) }))).toEqual([])
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
    expect(await checkPort(factsOf({ PORT: String(port) }))).toMatchObject([{ code: 'PORT_TAKEN', level: 'warning' }])
    other.close()
  })
})

function factsOf(env: NodeJS.ProcessEnv): CheckContext {
  const { root } = fileProject({})
  return { root, project: discover(root), manifest: needs, env, productionEnv: env }
}
