/**
 * Measures live data: the cost and delay of an update, compared with reading the page again, and with lists by
 * hand on socket.io and tRPC; and the cost of triggers for writes.
 */
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { middle } from './harness/middle.ts'
import { runLoad } from './harness/load.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { closeConnections, send } from './live/http.ts'
import { pace, push, refetch, type Sample, type Scene, write } from './live/rounds.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const CHANGES = Number(process.env['BENCH_CHANGES'] ?? 100)
const MANY = Number(process.env['BENCH_SUBSCRIBERS'] ?? 1000)
const LISTS = 50

/** Subscribers of the first list. The row is on its first page. */
const oneList = (subscribers: number): Scene => ({
  subscribers,
  queryOf: () => ({ listId: 1 }),
  changeOf: () => ({ id: 1, receivers: subscribers }),
  changes: CHANGES,
})
/** Many subscribers of all lists in turn. */
const allLists: Scene = {
  subscribers: MANY,
  queryOf: (index) => ({ listId: index % LISTS }),
  changeOf: (turn) => ({ id: turn % LISTS || LISTS, receivers: MANY / LISTS }),
  changes: CHANGES,
}
/** Subscribers of different lists, all of which contain the changed row on their first page. */
const overlapping = (subscribers: number): Scene => ({
  subscribers,
  queryOf: (index) => ({ 'priority[gte]': -index }),
  changeOf: () => ({ id: 1, receivers: subscribers }),
  changes: Math.ceil(CHANGES / 5),
})

pin(process.pid, CORE.load)
const postgres = await startPostgres()
const figures = new Map<string, number[]>()
const servers: ServerProcess[] = []
try {
  const sdk = await start('sdk', await postgres.createDatabase())
  const again = await start('sdk-again', await postgres.createDatabase(), { BENCH_ADVANCE: 'no' })
  const shared = await postgres.createDatabase()
  await start('sdk-tables', shared) // creates the table of the peers
  const peers = [await start('socketio', shared), await start('trpc', shared)]
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) figures.clear() // the first round warms up the just-in-time compiler
    note(`${MANY} subscribers`, await push(sdk, oneList(MANY)))
    note('10 subscribers', await push(sdk, oneList(10)))
    for (const peer of peers) note(`${peer.name}, ${MANY} subscribers`, await push(peer, oneList(MANY)))
    note('refetch', await refetch(sdk, { ...oneList(20), changes: CHANGES }, '/api/v1/plain?listId=1'))
    add('write alone, µs', await write(sdk, oneList(1)))
    note('paced', await pace(sdk, allLists, 50))
    note('overlapping, in memory', await push(sdk, overlapping(MANY)))
    note('overlapping, read again', await push(again, overlapping(MANY)))
    for (const connections of [1, 16]) await measureWrites(sdk, connections)
  }
  add('page, bytes', (await send(sdk.port, 'GET', '/api/v1/tasks?listId=1')).bytes)
  print()
} finally {
  closeConnections()
  for (const { child } of servers) child.kill('SIGKILL')
  await postgres.stop()
}

async function start(name: string, url: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const file = join(import.meta.dirname, `live/${name.split('-')[0]}.mjs`)
  const server = await startServer({ name, file, env: { BENCH_DATABASE: url, BENCH_LISTS: String(LISTS), ...env } })
  servers.push(server)
  return server
}

async function measureWrites(server: ServerProcess, connections: number): Promise<void> {
  for (const name of ['plain', 'tasks'])
    add(`writes to ${name}, ${connections} at once, /s`, await countWrites(server, name, connections))
}

async function countWrites({ port }: ServerProcess, name: string, connections: number): Promise<number> {
  const body = JSON.stringify({ title: 'New', notes: '', listId: 1, priority: 1000, done: false })
  const head = `POST /api/v1/${name} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const { requests, seconds } = await runLoad({ port, request: Buffer.from(head + body), connections, ms: 1000 })
  return requests / seconds
}

function note(name: string, { change, update, bytes, p50, p99 }: Sample): void {
  for (const [key, value] of Object.entries({
    'change, µs': change,
    'update, µs': update,
    bytes,
    'p50, ms': p50,
    'p99, ms': p99,
  }))
    add(`${name}: ${key}`, value)
}

function add(name: string, value: number): void {
  figures.set(name, [...(figures.get(name) ?? []), value])
}

function print(): void {
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; medians of ${ROUNDS} rounds; load ${loadavg()[0]?.toFixed(1)}`,
  )
  for (const [name, values] of figures)
    if (!Number.isNaN(middle(values))) console.log(`  ${name.padEnd(48)} ${middle(values).toFixed(1)}`)
}
