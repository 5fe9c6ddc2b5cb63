/**
 * Measures the cost of observing model calls: the CPU time of a chat with a mock model and a tool. Each mode has its own
 * process, because before Node 24, the first use of an `AsyncLocalStorage` makes all promises of a process more expensive.
 * The processes take turns after a few requests, and are started several times, since memory layouts differ.
 */
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { runLoad } from './harness/load.ts'
import { middle, ratioOf } from './harness/middle.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'

const STARTS = Number(process.env['BENCH_STARTS'] ?? 3)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 20)
const FLAGS = process.env['BENCH_FLAGS']?.split(' ') ?? []
const CONNECTIONS = 4
const MODES = ['plain', 'storage', 'observed'] as const

type Mode = (typeof MODES)[number]

const REQUEST = createRequest()

pin(process.pid, CORE.load)
console.log(
  `${cpus().length} cores, ${process.arch}, Node ${process.version} ${FLAGS.join(' ')}; load ${loadavg()[0]?.toFixed(0)}`,
)
console.log(`${STARTS} starts, ${ROUNDS} rounds of ${REQUESTS} chats each\n`)
await compare('production, with metrics', {})
await compare('development, with the recorder of the workbench in all modes', { BENCH_RECORDED: 'yes' })

async function compare(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const micros: Record<Mode, number[]> = { plain: [], storage: [], observed: [] }
  for (let index = 0; index < STARTS; index++) await run(env, micros)
  const times = MODES.map((mode) => `${mode} ${middle(micros[mode]).toFixed(0)} µs`).join(', ')
  const [plain, storage] = [ratioOf(micros.observed, micros.plain), ratioOf(micros.observed, micros.storage)]
  console.log(`${name}\n  CPU per chat: ${times}`)
  console.log(`  observed: ${plain.toFixed(3)} × plain, ${storage.toFixed(3)} × storage (medians of the rounds)\n`)
}

/** Starts a server for each mode, and measures them in turns. */
async function run(env: Readonly<Record<string, string>>, micros: Record<Mode, number[]>): Promise<void> {
  const servers: [Mode, ServerProcess][] = []
  for (const mode of MODES) {
    const file = join(import.meta.dirname, 'models/server.mjs')
    const server = await startServer({ name: mode, file, flags: FLAGS, env: { ...env, BENCH_MODE: mode } })
    servers.push([mode, server])
    for (let index = 0; index < 5; index++) await measure(server) // compiles the code
  }
  for (let round = 0; round < ROUNDS; round++) {
    // The order alternates, so that a drift affects all modes.
    for (const [mode, server] of round % 2 === 0 ? servers : servers.toReversed())
      micros[mode].push(await measure(server))
  }
  for (const [, { child }] of servers) child.disconnect()
}

/** Returns the CPU time per chat, in microseconds. */
async function measure(server: ServerProcess): Promise<number> {
  const before = await costOf(server)
  const load = { port: server.port, request: REQUEST, connections: CONNECTIONS, ms: 0, atLeast: REQUESTS }
  const { requests, statuses } = await runLoad(load)
  const after = await costOf(server)
  if ([...statuses.keys()].some((status) => status !== 200)) throw new Error(`statuses ${[...statuses].join()}`)
  return cpuBetween(before, after) / requests
}

function createRequest(): Buffer {
  const text = (role: string, words: string): object => ({ role, parts: [{ type: 'text', text: words }] })
  const messages = Array.from({ length: 5 }, (_, turn) => [
    text('user', `Question ${turn}: what is the weather like today, and what should I wear?`),
    ...(turn < 4 ? [text('assistant', 'It is sunny and warm, so a light jacket in the evening is enough.')] : []),
  ]).flat()
  const body = JSON.stringify({ messages })
  return Buffer.from(
    `POST /agent/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
