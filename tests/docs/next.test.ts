import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@sdk/frontend'
import { createApp, createLog, serve, type Router, type Server } from '@sdk/server'
import type { TemporaryFolder } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { writePage } from './write-page.ts'

/** The origin of the page in the browser. */
const SITE = 'http://localhost:3000'

// Next is too large to install for a test, so the test sends the requests that Next would forward.
describe('docs/guide/next.md', () => {
  let project: TemporaryFolder
  let server: Server | undefined

  beforeAll(async () => {
    project = await writePage('docs/guide/next.md')
  })
  afterAll(() => project?.remove())
  afterEach(async () => {
    await server?.close({ grace: 100 })
    vi.unstubAllEnvs()
  })

  async function start(cors: readonly string[]): Promise<Server> {
    const { default: router } = await load<{ default: Router }>('src/api/index.ts')
    const app = createApp({ router, cors, log: createLog({ level: 'silent' }) })
    server = await serve(app, { port: 0, signals: false })
    return server
  }

  it('reads data on the server with the cookie of a visitor', async () => {
    const { url } = await start([SITE])
    await createClient({ baseUrl: url }).call('POST /api/v1/tasks', { title: 'Tea' })
    vi.stubEnv('API_URL', url)
    const { titles } = await load<{ titles(cookie: string): Promise<string[]> }>('app/app-client.ts')
    expect(await titles('sid=1')).toEqual(['Tea'])
  })

  it('accepts a socket of the site only if cors lists its origin', async () => {
    const { url } = await start([SITE])
    const socket = new WebSocket(`${url}/ws/chat`, { origin: SITE })
    await once(socket, 'open')
    socket.send('"hello"')
    expect(String((await once(socket, 'message'))[0])).toBe('"hello"')
    socket.terminate()
    await server?.close({ grace: 100 })

    const refused = new WebSocket(`${(await start([])).url}/ws/chat`, { origin: SITE }).on('error', () => {})
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(403)
  })

  async function load<T>(file: string): Promise<T> {
    return (await import(/* @vite-ignore */ pathToFileURL(join(project.path, file)).href)) as T
  }
})
