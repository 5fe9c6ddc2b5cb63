/**
 * Measures what reconnecting clients do when the network or the server fails: our client and its peers in one run, each
 * in a separate process, with real servers that are killed and a TCP proxy that stops. All use their default settings.
 */
import { cpus, loadavg } from 'node:os'
import { measureClose, measureFlapping, measureRefused } from './reconnect/attempts.ts'
import { pause, type Cell } from './reconnect/cell.ts'
import { measureDelivery } from './reconnect/delivery.ts'
import { measureHalfOpen } from './reconnect/half-open.ts'
import { measureHerd } from './reconnect/herd.ts'
import { startLibrary, type Library } from './reconnect/library.ts'
import { startServer, type Server } from './reconnect/server.ts'

const ALL = 'sdk,partysocket,reconnecting-websocket,socket.io'
const LIBRARIES = (process.env['BENCH_LIBRARIES'] ?? ALL).split(',')
const CODES = [1006, 1000, 1001, 1012, 4000, 4403, 4429]
const OURS = 'sdk'

interface Scenario {
  readonly title: string
  readonly goal?: string
  readonly run: (library: Library) => Promise<Cell>
}

const started = performance.now()
// On a busy machine servers read late, so more is lost when they are killed.
const weather = loadavg()[0]?.toFixed(1)
const libraries = await Promise.all(LIBRARIES.map(startLibrary))
const faulty = new Map<string, Server>()
for (const { faulty: name } of libraries) if (!faulty.has(name)) faulty.set(name, await startServer(name))

/** Scenarios that mostly wait, so they run concurrently. */
const CALM: readonly Scenario[] = [
  {
    title: 'half-open, 10 messages/s: noticed after',
    goal: '≤ 12 s',
    run: (library) => measureHalfOpen(library, { perSecond: 10, goalMs: 12_000 }),
  },
  {
    title: 'half-open, idle: noticed after',
    goal: '≤ 30 s',
    run: (library) => measureHalfOpen(library, { perSecond: 0, goalMs: 30_000 }),
  },
  {
    title: 'always closed with 4401: attempts in 20 s',
    goal: '2, then stops',
    run: (library) => measureRefused(library, faultyPort(library)),
  },
  {
    title: 'dropped 50 ms after each opening: attempts in 30 s',
    goal: '≤ 10',
    run: (library) => measureFlapping(library, faultyPort(library)),
  },
  {
    title: '1,000 messages over 5 × kill -9: lost / reordered / twice',
    goal: '0 / 0',
    async run(library) {
      await pause(15_000) // a server that shares the machine with the start of all others would lose more
      return measureDelivery(library)
    },
  },
  ...CODES.map((code) => ({
    title: `closed once with ${code}`,
    run: (library: Library) => measureClose(library, faultyPort(library), `close-${code}`),
  })),
]
/** Scenarios in which a library has the machine to itself. */
const CROWDED: readonly Scenario[] = [
  { title: '200 clients dropped at once: most in 100 ms', goal: '≤ 25 %', run: measureHerd },
]

try {
  const ways = ownWays()
  const calm = await Promise.all(CALM.map((scenario) => Promise.all(libraries.map(scenario.run))))
  const crowded: Cell[][] = []
  for (const { run } of CROWDED) {
    const cells: Cell[] = []
    for (const library of libraries) cells.push(await run(library))
    crowded.push(cells)
  }
  print([...CALM, ...CROWDED], [...calm, ...crowded])
  console.log(`\n${await ways}`)
} finally {
  for (const library of libraries) library.stop()
  for (const server of faulty.values()) await server.kill()
}

function faultyPort(library: Library): number {
  const server = faulty.get(library.faulty)
  if (server === undefined) throw new Error(`the server ${library.faulty} is not running`)
  return server.port
}

/** Socket.IO ignores close codes; it has its own ways to disconnect and to reject a client. */
async function ownWays(): Promise<string> {
  const library = libraries.find(({ name }) => name === 'socket.io')
  if (library === undefined) return ''
  const [refused, sentAway] = await Promise.all([
    measureRefused(library, faultyPort(library), 'refuse-politely'),
    measureRefused(library, faultyPort(library), 'disconnect'),
  ])
  return `socket.io in its own words, attempts in 20 s: refused by a middleware ${refused.text}; disconnect() by the server ${sentAway.text}`
}

function print(scenarios: readonly Scenario[], rows: readonly (readonly Cell[])[]): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(
    `${cpus().length} cores, ${process.arch}, Node ${process.version}; one run of ${seconds} s, default settings; load ${weather} when it began\n`,
  )
  console.log(`| | ${libraries.map(({ name }) => name).join(' | ')} |`)
  console.log(`| --- |${libraries.map(() => ' --- |').join('')}`)
  for (const [index, { title, goal }] of scenarios.entries()) {
    const cells = libraries.map(({ name }, column) => {
      const cell = rows[index]?.[column]
      const verdict = goal !== undefined && name === OURS ? ` (goal ${goal}: ${cell?.isMet ? 'met' : 'missed'})` : ''
      return `${cell?.text}${verdict}`
    })
    console.log(`| ${title} | ${cells.join(' | ')} |`)
  }
}
