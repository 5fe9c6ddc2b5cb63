import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exit, freePort, type NodeProcess, spawnNode, temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { type Loss, type Outcome, sendAll } from './drain-client.ts'
import type { Life } from './drain-server.ts'

const REQUESTS = choose(50_000, 1_500)
/** The server is restarted after these numbers of responses. */
const RESTARTS = choose([12_000, 30_000], [400, 1_000])
/** Clients that reuse their connection, and clients that use one for each request. */
const KEPT = 24
const FRESH = 4

const folder = temporaryFolder('drain')
const outcome: Outcome = { answers: new Map(), wrong: [], losses: [], refused: 0 }
const exits: Exit[] = []
const lives: Life[] = []
let server: NodeProcess | undefined

beforeAll(async () => {
  const port = await freePort()
  const start = async (life: number): Promise<void> => {
    server = await spawnNode({
      file: join(import.meta.dirname, 'drain-server.ts'),
      args: [String(port), join(folder.path, `${life}.json`)],
      env: { NODE_ENV: 'production' },
    })
  }
  const end = async (life: number): Promise<void> => {
    exits.push(await (server as NodeProcess).stop('SIGTERM'))
    lives.push(JSON.parse(readFileSync(join(folder.path, `${life}.json`), 'utf8')) as Life)
  }

  await start(0)
  let sent = 0
  const next = (): number | undefined => (sent < REQUESTS ? sent++ : undefined)
  const clients = [
    ...Array.from({ length: KEPT }, () => sendAll(port, outcome, next, true)),
    ...Array.from({ length: FRESH }, () => sendAll(port, outcome, next, false)),
  ]
  for (const [life, count] of RESTARTS.entries()) {
    while (outcome.answers.size < count) await new Promise((resolve) => setTimeout(resolve, 5))
    await end(life)
    await start(life + 1)
  }
  await Promise.all(clients)
  await end(RESTARTS.length)
})
afterAll(async () => {
  await server?.kill()
  folder.remove()
})

describe(`${REQUESTS} requests during two restarts of the server`, () => {
  it('each receive the correct response', () => {
    expect(outcome.wrong).toEqual([])
    expect(outcome.answers.size).toBe(REQUESTS)
    const mistaken = [...outcome.answers].filter(([n, response]) => (response as { n: number }).n !== n)
    expect(mistaken).toEqual([])
  })

  it('are each executed once', () => {
    const executed = lives.flatMap((life) => life.executed)
    expect(executed).toHaveLength(REQUESTS)
    expect(new Set(executed).size).toBe(REQUESTS)
  })

  it('are sometimes refused, since the server was restarted', () => {
    expect(outcome.refused).toBeGreaterThan(0)
    expect(lives.every(({ executed }) => executed.length > 0)).toBe(true)
  })

  it('are not dropped on a new connection that the server had accepted', () => {
    const accepted = lives.flatMap((life) => life.accepted)
    // A connection is accepted soon after it was made; later, the same port may belong to another connection.
    const wasAccepted = ({ from, at }: Loss): boolean =>
      accepted.some(([port, time]) => port === from && time >= at - 5 && time - at < 300)
    expect(outcome.losses.filter((loss) => !loss.isKept && wasAccepted(loss))).toEqual([])
  })

  it('are not dropped on a reused connection', () => {
    expect(outcome.losses.filter(({ isKept }) => isKept)).toEqual([])
  })

  it('do not prevent a clean exit of the server', () => {
    expect(exits).toEqual(Array.from({ length: RESTARTS.length + 1 }, () => ({ code: 0, signal: null })))
    expect(lives.flatMap(({ errors }) => errors)).toEqual([])
  })
})
