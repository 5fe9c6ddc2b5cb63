import { cpSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createDatabase, freePort, startProcess, temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { URL_LINE } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { runSdk, toNeutral } from './mistakes/terminal.ts'
import { sdkHere } from './sdk-here.ts'

const API = `import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { openDatabase, table } from '@sdk/database'
import { createResource, createRouter } from '@sdk/server'
import { z } from 'zod'

const database = openDatabase()
const auth = createAuth({ database })
const notes = createResource('notes', { schema: z.object({}), store: table('notes', { database }), access: 'public' })

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .resource('v1', notes)
`

const LATE_AUTH = `import { createAuth } from '@sdk/auth'
import { openDatabase } from '@sdk/database'
import { createAgent } from '@sdk/server'

export default createAgent('hello', {
  async handler() {
    const database = openDatabase('pglite://memory')
    const auth = createAuth({ database, baseURL: 'https://app.example.com' })
    await auth.close()
    return 'made'
  },
})
`

/** Overrides the value of the test runner. */
const NODE_ENV = 'production'
const NOTHING = { NODE_ENV, DATABASE_URL: '', AUTH_URL: '', AUTH_SECRET: '' }
const GOOD = {
  NODE_ENV,
  AUTH_URL: 'https://app.example.com',
  AUTH_SECRET: 'Zm9ydHktdHdvIHJhbmRvbSBieXRlcyBvZiBhIHRlc3Q',
}

describe('sdk start in production', () => {
  const project = createDemoProject()
  project.write('src/api/index.ts', API)
  beforeAll(() => buildWhole(project))

  it('reports all missing variables together', async () => {
    expect(await runSdk(project.path, ['start'], NOTHING)).toMatchInlineSnapshot(`
      "✗ 3 environment variables are missing or invalid
        DATABASE_URL is not set: it selects the app's database
            DATABASE_URL=postgres://user:password@host:5432/name, or pglite://.sdk/data for the embedded database
        AUTH_URL is not set: it is the public origin of the app, used for cookies and for links in emails
            AUTH_URL=https://app.example.com
        AUTH_SECRET is not set: it is used to sign sessions and must have at least 32 random characters
            AUTH_SECRET=…, where … is the output of openssl rand -base64 32
        set them in the server's environment; sdk start also reads .env.production.local
        for details, run sdk explain INVALID_ENVIRONMENT
      (1)"
    `)
  })

  it('reports invalid variables without exposing secrets', async () => {
    const env = {
      NODE_ENV,
      DATABASE_URL: 'mysql://ada:secret@db/app',
      AUTH_URL: 'app.example.com',
      AUTH_SECRET: 'too short',
      LOG_LEVEL: 'verbose',
    }
    expect(await runSdk(project.path, ['start'], env)).toMatchInlineSnapshot(`
      "✗ 4 environment variables are missing or invalid
        DATABASE_URL must be a database URL, got mysql://…: it selects the app's database
            DATABASE_URL=postgres://user:password@host:5432/name, or pglite://.sdk/data for the embedded database
        AUTH_URL must be an origin, got "app.example.com": it is the public origin of the app, used for cookies and for links in emails
            AUTH_URL=https://app.example.com
        AUTH_SECRET has only 9 characters: it is used to sign sessions and must have at least 32 random characters
            AUTH_SECRET=…, where … is the output of openssl rand -base64 32
        LOG_LEVEL must be debug, info, warn, error or silent, got "verbose": it is the lowest level that is logged
            LOG_LEVEL=info
        set them in the server's environment; sdk start also reads .env.production.local
        for details, run sdk explain INVALID_ENVIRONMENT
      (1)"
    `)
  })

  it('prints the errors as JSON with --json', async () => {
    const printed = await runSdk(project.path, ['start', '--json'], NOTHING)
    expect(JSON.parse(printed.replace(/\(1\)$/, ''))).toMatchObject({
      error: { code: 'INVALID_ENVIRONMENT', lines: expect.arrayContaining([expect.stringContaining('AUTH_SECRET')]) },
    })
  })

  it('prints the same errors with plain node', async () => {
    const printed = await runBuilt(join(project.path, 'dist'), NOTHING)
    expect(printed).toContain('DATABASE_URL is not set')
    expect(printed).toMatch(/AUTH_SECRET is not set.*\(1\)$/s)
  })

  it('reports a port that is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const env = { ...GOOD, DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/app`, PORT: String(port) }
    expect(lastLines(await runSdk(project.path, ['start'], env), 4)).toMatchInlineSnapshot(`
      "✗ listen EADDRINUSE: address already in use 127.0.0.1:<port>
        stop the process that is listening there, or choose another port, for example PORT=4000
        for details, run sdk explain PORT_TAKEN
      (1)"
    `)
    other.close()
  })

  it('keeps running without being ready if the database is unreachable', async () => {
    const env = { ...GOOD, DATABASE_URL: `postgres://ada:secret@127.0.0.1:${await freePort()}/app`, PORT: '0' }
    expect(await firstError(env)).toEqual({
      message: 'the store for notes is not ready',
      error: 'The database cannot be reached',
      cause: { error: expect.stringContaining('ECONNREFUSED') },
      hint: 'start the database, or correct the host and port in DATABASE_URL; sdk doctor checks the connection',
    })
  })

  it('reports a database name that does not exist', async () => {
    const url = new URL(await createDatabase())
    url.pathname = '/nowhere'
    expect(await firstError({ ...GOOD, DATABASE_URL: url.href, PORT: '0' })).toEqual({
      message: 'the store for notes is not ready',
      error: 'database "nowhere" does not exist',
      hint: 'create the database with createdb, or correct its name in DATABASE_URL',
    })
  })

  it('reports packages that are not installed', async () => {
    const { path } = temporaryFolder('alone')
    cpSync(join(project.path, 'dist'), join(path, 'dist'), { recursive: true })
    expect(await runBuilt(join(path, 'dist'), GOOD)).toMatch(
      /^✗ Cannot find package '@sdk\/\w+' .*\n {2}install the packages in dist\/server\/package\.json: npm install --omit=dev\n\(1\)$/,
    )
  })

  it('reports an unsupported version of Node', async () => {
    const first = readFileSync(join(project.path, 'dist/server/index.js'), 'utf8')
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })\n${first}`
    const running = await startProcess({ command: process.execPath, args: ['--input-type=module', '-e', pretend] })
    const { code } = await running.exited
    expect(`${running.output()}(${code})`).toBe('The server requires Node 20.19 or newer, got Node 18.20.8.\n(1)')
  })

  /** Returns the first error that the server logs, without its time. */
  async function firstError(env: Record<string, string>): Promise<unknown> {
    const server = await startProcess({
      command: process.execPath,
      args: [join(project.path, 'dist/server/index.js')],
      env,
    })
    const { time: _, level: __, ...line } = JSON.parse(await server.waitFor(/^\{.*"level":"error".*$/m))
    const ready = await fetch(`${await server.waitFor(URL_LINE)}/readyz`)
    expect(ready.status).toBe(503)
    await server.kill()
    return line
  }

  async function runBuilt(dist: string, env: Record<string, string>): Promise<string> {
    const running = await startProcess({ command: process.execPath, args: [join(dist, 'server/index.js')], env })
    const { code } = await running.exited
    return `${toNeutral(running.output(), dist)}\n(${code})`
  }
})

describe('a built server', () => {
  const project = createDemoProject()
  project.edit('src/api/index.ts', 'export default', `if (process.env.BREAK) throw new Error('mine')\nexport default`)
  project.write('src/agent/hello/index.ts', LATE_AUTH)
  beforeAll(() => buildWhole(project))

  it('prints the stack of an error in the app', async () => {
    expect(await runSdk(project.path, ['start'], { BREAK: 'yes' })).toMatch(/^Error: mine\n {4}at .*\(1\)$/s)
  })

  it('does not use a default secret if AUTH_SECRET is only read at runtime', async () => {
    const server = await startProcess({
      command: process.execPath,
      args: [join(project.path, 'dist/server/index.js')],
      env: { ...NOTHING, PORT: '0' },
    })
    const response = await fetch(`${await server.waitFor(URL_LINE)}/agent/hello`, { method: 'POST' })
    expect(response.status).toBe(500)
    expect(await server.waitFor(/AUTH_SECRET is not set/)).toBeTruthy()
    await server.kill()
  })

  it('reports an incomplete build', async () => {
    rmSync(join(project.path, 'dist/web'), { recursive: true })
    expect(await runSdk(project.path, ['start'])).toMatchInlineSnapshot(`
      "✗ <app>/dist/web is missing: sdk build creates it together with the server
        copy the whole dist folder, or build again: sdk build
        for details, run sdk explain NO_BUILD
      (1)"
    `)
  })
})

async function buildWhole({ path }: DemoProject): Promise<void> {
  const [code, output] = await sdkHere(path, ['build'])
  if (code !== 0) throw new Error(output)
}

function lastLines(text: string, count: number): string {
  return text.split('\n').slice(-count).join('\n')
}
