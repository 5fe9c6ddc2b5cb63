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
/** The number of measurements of writes per round. */
const WRITE_TURNS = 8

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
  changes: Math.ceil(CHANGES / 10), // reading many lists again takes long
})

pin(process.pid, CORE.load)
const postgres = await startPostgres()
// Writes are measured on a server that waits for the disk, as in production.
const durable = await startPostgres({ settings: ['fsync=on', 'full_page_writes=on'] })
const figures = new Map<string, number[]>()
const servers = new Map<string, ServerProcess>()
const databases = new Map<string, string>()

/** The parts of the benchmark. `npm run bench -- live push pace` runs two of them. */
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  async push() {
    const sdk = await start('sdk')
    note(`${MANY} subscribers`, await push(sdk, oneList(MANY)))
    note('10 subscribers', await push(sdk, oneList(10)))
  },
  async peers() {
    // The SDK creates the table of the peers.
    const database = await databaseOf('sdk-tables')
    for (const name of ['socketio', 'trpc'])
      note(`${name}, ${MANY} subscribers`, await push(await start(name, {}, database), oneList(MANY)))
  },
  async crowds() {
    const crowds = [await start('sdk-10', { BENCH_SILENT: '9' })]
    crowds.push(await start('sdk-many', { BENCH_SILENT: String(MANY - 1) }))
    for (const crowd of crowds) note(`${crowd.name}, one socket`, await push(crowd, oneList(1)))
  },
  async refetch() {
    const sdk = await start('sdk')
    note('refetch', await refetch(sdk, { ...oneList(20), changes: CHANGES }, '/api/v1/plain?listId=1'))
    add('write alone, µs', await write(sdk, oneList(1)))
    add('page, bytes', (await send(sdk.port, 'GET', '/api/v1/tasks?listId=1')).bytes)
  },
  pace: async () => note('paced', await pace(await start('sdk'), allLists, 50)),
  async overlapping() {
    note('overlapping, in memory', await push(await start('sdk'), overlapping(MANY)))
    note('overlapping, read again', await push(await start('sdk-again', { BENCH_ADVANCE: 'no' }), overlapping(MANY)))
  },
  async polling() {
    const scene = { subscribers: 20, changes: 5, everyMs: 1000 }
    note('TanStack DB, 20 collections, every second', await poll(await start('sdk'), scene))
  },
  async pglite() {
    const embedded = await start('sdk-pglite', {}, 'pglite://memory')
    note('PGlite, 100 lists', await push(embedded, overlapping(100)))
    add('PGlite, write alone, µs', await write(embedded, overlapping(100)))
    const liveQuery = await start('pglite', { BENCH_SUBSCRIBERS: '100' }, '')
    note("PGlite's live.query, 100 lists", await updateLists(liveQuery, overlapping(100)))
  },
  async writes() {
    const server = servers.get('sdk-writes') ?? (await start('sdk-writes', {}, await durable.createDatabase()))
    for (const writers of [1, 16]) await measureWrites(server, await databaseOf('sdk-writes'), writers)
  },
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS)
try {
  for (let round = 0; round <= ROUNDS; round++) {
    if (round === 1) figures.clear() // the first round warms up the just-in-time compiler
    for (const name of chosen) await PARTS[name]?.()
  }
  print()
} finally {
  closeConnections()
  for (const { child } of servers.values()) child.kill('SIGKILL')
  await Promise.all([postgres.stop(), durable.stop()])
}

/** Starts a server, unless it is running. Without a URL, it gets a database of its own. */
async function start(name: string, env: Readonly<Record<string, string>> = {}, url?: string): Promise<ServerProcess> {
  const running = servers.get(name)
  if (running !== undefined) return running
  const file = join(import.meta.dirname, `live/${name.split('-')[0]}.mjs`)
  const database = url ?? (await postgres.createDatabase())
  const server = await startServer({
    name,
    file,
    env: { BENCH_DATABASE: database, BENCH_LISTS: String(LISTS), ...env },
  })
  servers.set(name, server)
  databases.set(name, database)
  return server
}

/** Returns the URL of a server's database. */
async function databaseOf(name: string): Promise<string> {
  await start(name)
  return databases.get(name) ?? ''
}

/** Measures writes with and without triggers in turn, through HTTP and by SQL alone. */
async function measureWrites(server: ServerProcess, url: string, writers: number): Promise<void> {
  const rates = new Map<string, number[]>()
  const addRate = (name: string, rate: number): unknown => rates.set(name, [...(rates.get(name) ?? []), rate])
  for (let turn = 0; turn < WRITE_TURNS; turn++)
    for (const name of turn % 2 === 0 ? ['plain', 'tasks'] : ['tasks', 'plain']) {
      addRate(`writes, ${name}`, await countRequests(server, name, writers))
      addRate(`statements, ${name}`, await countStatements(url, name, writers))
    }
  const sumOf = (name: string): number => (rates.get(name) ?? []).reduce((sum, rate) => sum + rate, 0)
  for (const kind of ['writes', 'statements']) {
    for (const name of ['plain', 'tasks'])
      add(
        `${kind}, ${name === 'tasks' ? 'live' : 'plain'}, ${writers} at once, /s`,
        sumOf(`${kind}, ${name}`) / WRITE_TURNS,
      )
    add(`${kind}, ${writers} at once, live / plain`, sumOf(`${kind}, tasks`) / sumOf(`${kind}, plain`))
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
    if (!Number.isNaN(middle(values)))
      console.log(`  ${name.padEnd(48)} ${middle(values).toFixed(name.includes('/ plain') ? 2 : 1)}`)
}
