import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createDatabase,
  freePort,
  spawnNode,
  startRedis,
  temporaryFolder,
  type Exit,
  type NodeProcess,
  type Service,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Outcome, sendAll } from '../endurance/drain-client.ts'
import { SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

/** Writes the number of each request to a file, so that a test can count them. */
const ECHO = `import { appendFileSync } from 'node:fs'
import { createAgent } from '@sdk/server'

export default createAgent('echo', {
  async handler(_ctx, input: unknown) {
    const { n, wait } = input as { n: number; wait: number }
    appendFileSync(String(process.env['EXECUTED']), n + '\\n')
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return { n }
  },
})
`

/** The state that several servers share. */
const SHARED_API = `import { table } from '@sdk/database'
import { createResource, createRouter } from '@sdk/server'
import { z } from 'zod'

const notes = createResource('notes', { schema: z.object({ text: z.string() }), store: table('notes'), access: 'public' })

export default createRouter()
  .on('GET /api/count', (ctx) => ctx.kv.increment('demo', 'count'))
  .resource('v1', notes)
`

const project = createDemoProject()
let databaseUrl: string
beforeAll(async () => {
  project.write('package.json', '{ "name": "demo", "type": "module", "dependencies": { "@sdk/redis": "*" } }')
  project.write('sdk.config.ts', 'export default { rateLimit: false }\n')
  project.write('src/agent/echo/index.ts', ECHO)
  project.write('src/api/index.ts', SHARED_API)
  project.remove('src/web')
  databaseUrl = await createDatabase()
  const [code, output] = await sdkHere(project.path, ['build'])
  if (code !== 0) throw new Error(output)
})

describe('DATABASE_URL and REDIS_URL', () => {
  const running: NodeProcess[] = []
  let redis: Service
  let env: Record<string, string>

  beforeAll(async () => {
    redis = await startRedis()
    env = { PORT: '0', DATABASE_URL: databaseUrl, REDIS_URL: redis.url }
  })
  afterAll(async () => {
    await Promise.all(running.map((server) => server.kill()))
    await redis.stop()
  })
  const start = async (): Promise<NodeProcess> => {
    const server = await spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: URL_LINE })
    running.push(server)
    return server
  }

  it('share state between two servers', async () => {
    const [one, two] = await Promise.all([start(), start()])
    const counts = [one, two, one].map(async ({ url }) => (await fetch(`${url}/api/count`)).json())
    expect(new Set(await Promise.all(counts))).toEqual(new Set([1, 2, 3]))
    const headers = { 'content-type': 'application/json' }
    const made = await fetch(`${one.url}/api/v1/notes`, { method: 'POST', headers, body: '{"text":"tea"}' })
    expect(made.status).toBe(201)
    expect(await (await fetch(`${two.url}/api/v1/notes`)).json()).toMatchObject({ data: [{ text: 'tea' }] })
    expect((await two.stop()).code).toBe(0)
  })

  it('add their packages to the dependencies of the build', () => {
    const { dependencies } = JSON.parse(project.read('dist/server/package.json')) as { dependencies: object }
    expect(Object.keys(dependencies)).toEqual(['@sdk/database', '@sdk/redis', '@sdk/server'])
  })
})

/** Enough for two kills; tests/endurance/drain.test.ts sends more. */
const REQUESTS = 1_800

describe(`SIGTERM under load with ${REQUESTS} requests on keep-alive connections`, () => {
  const folder = temporaryFolder('executed')
  const executed = join(folder.path, 'numbers')
  const outcome: Outcome = { answers: new Map(), wrong: [], losses: [], refused: 0 }
  const exits: Exit[] = []
  const outputs: string[] = []

  beforeAll(async () => {
    const port = await freePort()
    const env = { PORT: String(port), EXECUTED: executed, LOG_LEVEL: 'info', DATABASE_URL: databaseUrl }
    const start = (): Promise<NodeProcess> =>
      spawnNode({ file: SDK, args: ['start'], cwd: project.path, env, ready: URL_LINE })
    let server = await start()
    let sent = 0
    const next = (): number | undefined => (sent < REQUESTS ? sent++ : undefined)
    const clients = Array.from({ length: 16 }, () => sendAll(port, outcome, next, true))
    for (const count of [REQUESTS / 3, (REQUESTS * 2) / 3]) {
      while (outcome.answers.size < count) await new Promise((resolve) => setTimeout(resolve, 5))
      exits.push(await server.stop('SIGTERM'))
      outputs.push(server.output())
      server = await start()
    }
    await Promise.all(clients)
    exits.push(await server.stop('SIGTERM'))
  })
  afterAll(() => folder.remove())

  it('loses no request and runs none twice', () => {
    expect(outcome.wrong).toEqual([])
    expect(outcome.losses.filter(({ isKept }) => isKept)).toEqual([])
    expect(outcome.answers.size).toBe(REQUESTS)
    const numbers = readFileSync(executed, 'utf8').trim().split('\n')
    expect([numbers.length, new Set(numbers).size]).toEqual([REQUESTS, REQUESTS])
  })

  it('stops the server with exit code 0 each time', () => {
    expect(exits).toEqual(Array.from({ length: 3 }, () => ({ code: 0, signal: null })))
    expect(outcome.refused).toBeGreaterThan(0)
    for (const output of outputs) expect(output).toContain('"message":"closing","signal":"SIGTERM"')
  })
})
