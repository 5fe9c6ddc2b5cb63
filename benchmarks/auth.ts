/**
 * Measures the cost of authentication: a protected route against the same open route, on a real PostgreSQL with warm
 * connections, with and without the session cache, compared with the library's own `getSession`, in one interleaved
 * run.
 */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { runLoad } from './harness/load.ts'
import { middle } from './harness/middle.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { findPostmaster } from './resources/postgres-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const MS = Number(process.env['BENCH_MS'] ?? 1000)
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 32)
const USERS = 20

interface Contestant {
  readonly name: string
  readonly server: ServerProcess
  /** The header that authenticates each user. */
  readonly shown: readonly string[]
}

/** CPU in microseconds per request, by contestant and route, for each round. */
const samples = new Map<string, { open: number[]; private: number[] }>()
const contestants: Contestant[] = []

pin(process.pid, CORE.load)
const postgres = await startPostgres()
pin(await findPostmaster(postgres.url), CORE.load)
try {
  await prepare('sdk, cookie, cached', 'sdk', { BENCH_CACHE_MS: '5000' })
  await prepare('sdk, token, cached', 'sdk', { BENCH_CACHE_MS: '5000', BENCH_TOKEN: '1' })
  await prepare('sdk, cookie, uncached', 'sdk', { BENCH_CACHE_MS: '0' })
  await prepare('sdk, token, uncached', 'sdk', { BENCH_CACHE_MS: '0', BENCH_TOKEN: '1' })
  await prepare('better-auth', 'better-auth', {})
  await prepare('better-auth, cookie cache', 'better-auth', { BENCH_COOKIE_CACHE: '1' })
  for (let round = 0; round <= ROUNDS; round++) await runRound(round)
  print()
} finally {
  for (const { server } of contestants) server.child.kill('SIGKILL')
  await postgres.stop()
}

async function prepare(name: string, program: string, env: Record<string, string>): Promise<void> {
  const url = await postgres.createDatabase()
  const file = join(import.meta.dirname, `auth/${program}.mjs`)
  const server = await startServer({ name, file, env: { BENCH_DATABASE: url, ...env } })
  const shown: string[] = []
  for (let user = 0; user < USERS; user++) shown.push(await signUp(server, user, env['BENCH_TOKEN'] === '1'))
  contestants.push({ name, server, shown })
  samples.set(name, { open: [], private: [] })
}

/** Signs up a user and returns the header line that authenticates them. */
async function signUp(server: ServerProcess, user: number, isToken: boolean): Promise<string> {
  const origin = `http://127.0.0.1:${server.port}`
  const headers = { 'content-type': 'application/json', origin: 'http://app.test' }
  const body = JSON.stringify({ name: 'Ada', email: `ada${user}@example.com`, password: 'correct horse' })
  const answer = await fetch(`${origin}/api/auth/sign-up/email`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`${server.name} answered a sign-up with ${answer.status}: ${await answer.text()}`)
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ')
  if (!isToken) return `Cookie: ${cookie}`
  const asked = { method: 'POST', headers: { ...headers, cookie }, body: '{}' }
  const access = (await (await fetch(`${origin}/api/auth/access-token`, asked)).json()) as { token: string }
  return `Authorization: Bearer ${access.token}`
}

async function runRound(round: number): Promise<void> {
  // The order alternates, so that no contestant always runs after the same one.
  for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
    for (const route of ['open', 'private'] as const) {
      const cpu = await measure(contestant, route)
      if (round > 0) samples.get(contestant.name)?.[route].push(cpu) // the first round warms up the compiler
    }
  }
}

async function measure({ server, shown }: Contestant, route: 'open' | 'private'): Promise<number> {
  let sent = 0
  const requests = shown.map((line) => toRequest(route, route === 'open' ? '' : `${line}\r\n`))
  const next = (): Buffer => requests[sent++ % requests.length] ?? Buffer.alloc(0)
  const before = await costOf(server)
  const load = await runLoad({ port: server.port, request: next, connections: CONNECTIONS, ms: MS })
  const after = await costOf(server)
  const wrong = [...load.statuses.keys()].filter((status) => status !== 200)
  if (wrong.length > 0) throw new Error(`${server.name} answered the ${route} route with ${wrong.join(', ')}`)
  return cpuBetween(before, after) / load.requests
}

function toRequest(route: string, line: string): Buffer {
  return Buffer.from(`GET /api/${route}/status HTTP/1.1\r\nHost: app.test\r\n${line}\r\n`)
}

function print(): void {
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${MS} ms, medians; ` +
      `${CONNECTIONS} connections, ${USERS} users; µs of the server's CPU a request\n`,
  )
  for (const [name, { open, private: guarded }] of samples) {
    const extra = middle(guarded.map((cpu, round) => cpu - (open[round] ?? Number.NaN)))
    const [a, b, c] = [middle(open), middle(guarded), extra].map((value) => value.toFixed(1).padStart(7))
    console.log(`${name.padEnd(26)} open ${a}   protected ${b}   extra ${c}`)
  }
}
