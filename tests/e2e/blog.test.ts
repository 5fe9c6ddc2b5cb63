import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { emptyDatabase, nodeArguments, type NodeProcess, spawnNode, startProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { copyExample } from './copy-example.ts'
import { sdkHere } from './sdk-here.ts'

const AUTH_SECRET = 'only-for-these-tests-only-for-these-tests'

describe('the blog example', () => {
  const cwd = copyExample('blog')

  it('passes its own tests', async () => {
    const files = readdirSync(join(cwd, 'tests')).filter((name) => name.endsWith('.test.ts'))
    // Compiled: `tsx` takes longer than the tests. The tests of created apps run with it.
    const programs = await Promise.all(files.map((name) => nodeArguments(join(cwd, 'tests', name))))
    // In one process: three would start three apps at once.
    const program = [...new Set(programs.flat())].map((file) => `await import(${JSON.stringify(file)})`).join('\n')
    const args = ['--input-type=module', '-e', program]
    const running = await startProcess({ command: process.execPath, args, cwd, env: { AUTH_SECRET } })
    const { code } = await running.exited
    expect(running.output()).toMatch(/fail 0\n/)
    expect([code, files.length]).toEqual([0, 3])
  }, 300_000)

  describe('as it is deployed', () => {
    let server: NodeProcess
    beforeAll(async () => {
      expect(await sdkHere(cwd, ['build'])).toEqual([0, expect.any(String)])
      const env = { NODE_ENV: 'production', PORT: '0', DATABASE_URL: await emptyDatabase(), AUTH_SECRET }
      const file = join(cwd, 'dist/server/index.js')
      server = await spawnNode({ file, cwd, env: { ...env, AUTH_URL: 'http://127.0.0.1' }, ready: URL_LINE })
    })
    afterAll(() => server?.stop())

    it('has the auth scheme, the shapes and the error format of the contract', async () => {
      const send = async (method: string, path: string, body?: object, token = ''): Promise<[number, unknown]> => {
        const headers = { 'content-type': 'application/json', authorization: `Token ${token}` }
        const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
        const response = await fetch(server.url + path, init)
        return [response.status, await response.json()]
      }
      const ada = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }
      const [status, { user }] = (await send('POST', '/api/users', { user: ada })) as [number, { user: Json }]
      expect([status, user]).toEqual([201, expect.objectContaining({ username: 'ada', token: expect.any(String) })])
      expect(await send('GET', '/api/user', undefined, user['token'])).toEqual([200, { user }])
      expect(await send('GET', '/api/articles/feed')).toEqual([401, { errors: { body: ['sign in first'] } }])
      expect(await send('GET', '/api/nope')).toEqual([404, { errors: { body: ['no route matches /api/nope'] } }])
      const article = { title: 'Green tea', description: 'How', body: 'At 70 °C.', tagList: ['tea'] }
      expect(await send('POST', '/api/articles', { article }, user['token'])).toEqual([
        201,
        { article: expect.objectContaining({ ...article, slug: 'green-tea', favoritesCount: 0 }) as unknown },
      ])
      expect(server.output()).not.toMatch(/"level":"error"/)
    })
  })
})

type Json = Record<string, string>
