/**
 * Measures live data: the cost and delay of an update, compared with reading the page again, with lists by hand on
 * socket.io and tRPC, with TanStack DB and with PGlite's own live queries; and the cost of triggers for writes.
 */
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@sdk/test-kit'
import { middle } from './harness/middle.ts'
import { CORE, pin, startServer, type ServerProcess } from './harness/server-process.ts'
import { closeConnections, send } from './live/http.ts'
import { poll } from './live/polling.ts'
import { pace, push, refetch, type Sample, type Scene, updateLists, write } from './live/rounds.ts'
import { countRequests, countStatements } from './live/writes.ts'

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
// Writes are measured on a server that waits for the disk, as in production.
const durable = await startPostgres({ settings: ['fsync=on', 'full_page_writes=on'] })
const figures = new Map<string, number[]>()
const servers: ServerProcess[] = []
try {
  const sdk = await start('sdk', await postgres.createDatabase())
  const again = await start('sdk-again', await postgres.createDatabase(), { BENCH_ADVANCE: 'no' })
  const crowds = [await start('sdk-10', await postgres.createDatabase(), { BENCH_SILENT: '9' })]
  crowds.push(await start('sdk-many', await postgres.createDatabase(), { BENCH_SILENT: String(MANY - 1) }))
  const shared = await postgres.createDatabase()
  await start('sdk-tables', shared) // creates the table of the peers
  const durableUrl = await durable.createDatabase()
  const writer = await start('sdk-writes', durableUrl)
  const embedded = await start('sdk-pglite', 'pglite://memory')
  const liveQuery = await start('pglite', '', { BENCH_SUBSCRIBERS: '100' })
  const peers = [await start('socketio', shared), await start('trpc', shared)]
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) figures.clear() // the first round warms up the just-in-time compiler
    note(`${MANY} subscribers`, await push(sdk, oneList(MANY)))
    note('10 subscribers', await push(sdk, oneList(10)))
    for (const peer of peers) note(`${peer.name}, ${MANY} subscribers`, await push(peer, oneList(MANY)))
    for (const crowd of crowds) note(`${crowd.name}, one socket`, await push(crowd, oneList(1)))
    note('refetch', await refetch(sdk, { ...oneList(20), changes: CHANGES }, '/api/v1/plain?listId=1'))
    add('write alone, µs', await write(sdk, oneList(1)))
    note('paced', await pace(sdk, allLists, 50))
    note('overlapping, in memory', await push(sdk, overlapping(MANY)))
    note('overlapping, read again', await push(again, overlapping(MANY)))
    note('TanStack DB, 20 collections, every second', await poll(sdk, { subscribers: 20, changes: 5, everyMs: 1000 }))
    note('PGlite, 100 lists', await push(embedded, overlapping(100)))
    note("PGlite's live.query, 100 lists", await updateLists(liveQuery, overlapping(100)))
    for (const writers of [1, 16]) await measureWrites(writer, durableUrl, writers)
  }
  add('page, bytes', (await send(sdk.port, 'GET', '/api/v1/tasks?listId=1')).bytes)
  print()
} finally {
  closeConnections()
  for (const { child } of servers) child.kill('SIGKILL')
  await Promise.all([postgres.stop(), durable.stop()])
}

async function start(name: string, url: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const file = join(import.meta.dirname, `live/${name.split('-')[0]}.mjs`)
  const server = await startServer({ name, file, env: { BENCH_DATABASE: url, BENCH_LISTS: String(LISTS), ...env } })
  servers.push(server)
  return server
}

/** Measures writes with and without triggers, through HTTP and by SQL alone. */
async function measureWrites(server: ServerProcess, url: string, writers: number): Promise<void> {
  for (const name of ['plain', 'tasks']) {
    const label = `${name === 'tasks' ? 'live' : 'plain'}, ${writers} at once, /s`
    add(`writes, ${label}`, await countRequests(server, name, writers))
    add(`statements, ${label}`, await countStatements(url, name, writers))
  }
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
