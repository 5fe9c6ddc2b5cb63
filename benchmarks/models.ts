/**
 * Measures the cost of observing model calls: the CPU time of a chat with a mock model and a tool, with and without it.
 * Both apps run in one process and take turns after a few requests, since the memory layout of a process and other load
 * change the cost by more.
 */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { runLoad } from './harness/load.ts'
import { middle, ratioOf } from './harness/middle.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 101)
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 20)
const CONNECTIONS = 4

type Mode = 'on' | 'off'

pin(process.pid, CORE.load)
console.log(`${cpus().length} cores, ${process.arch}, Node ${process.version}; ${ROUNDS} rounds of ${REQUESTS} chats\n`)
await compare('production, with the metrics of requests in both', {})
await compare('development, with the recorder of requests in both', { BENCH_RECORDED: 'yes' })

async function compare(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const server = await startServer({ name, file: join(import.meta.dirname, 'models/server.mjs'), env })
  const micros: Record<Mode, number[]> = { on: [], off: [] }
  for (const mode of ['on', 'off', 'on', 'off'] as const) await measure(server, mode) // compiles the code
  for (let round = 0; round < ROUNDS; round++) {
    // The order alternates, so that a drift affects both.
    const modes: readonly Mode[] = round % 2 === 0 ? ['on', 'off'] : ['off', 'on']
    for (const mode of modes) micros[mode].push(await measure(server, mode))
  }
  server.child.disconnect()
  const ratio = ratioOf(micros.on, micros.off)
  const times = `${middle(micros.off).toFixed(0)} µs without, ${middle(micros.on).toFixed(0)} µs with`
  console.log(`${name}\n  CPU per chat: ${times}; median of the ratios ${ratio.toFixed(3)}\n`)
}

/** Returns the CPU time per chat, in microseconds. */
async function measure(server: ServerProcess, mode: Mode): Promise<number> {
  const before = await costOf(server)
  const load = { port: server.port, request: toRequest(mode), connections: CONNECTIONS, ms: 0, atLeast: REQUESTS }
  const { requests, statuses } = await runLoad(load)
  const after = await costOf(server)
  if ([...statuses.keys()].some((status) => status !== 200)) throw new Error(`statuses ${[...statuses].join()}`)
  return cpuBetween(before, after) / requests
}

function toRequest(mode: Mode): Buffer {
  const text = (role: string, words: string): object => ({ role, parts: [{ type: 'text', text: words }] })
  const messages = Array.from({ length: 5 }, (_, turn) => [
    text('user', `Question ${turn}: what is the weather like today, and what should I wear?`),
    ...(turn < 4 ? [text('assistant', 'It is sunny and warm, so a light jacket in the evening is enough.')] : []),
  ]).flat()
  const body = JSON.stringify({ messages })
  return Buffer.from(
    `POST /agent/chat?${mode} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
