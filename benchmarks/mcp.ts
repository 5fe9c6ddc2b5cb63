/**
 * Measures a tool over MCP: calls per second, CPU per call, the first call of a new process and its memory, compared with
 * other MCP servers and with the same agent over HTTP. All run on Node 22, which one of the peers requires.
 */
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { installNode } from '../scripts/nodes.ts'
import { runLoad, type Load } from './harness/load.ts'
import { middle, ratioOf } from './harness/middle.ts'
import { CORE, costOf, cpuBetween, pin, startServer, type ServerProcess } from './harness/server-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const MS = Number(process.env['BENCH_MS'] ?? 1000)
const CONNECTIONS = 16
/** The calls before a measurement. For the first 9,000 calls, the just-in-time compiler multiplies the cost of a call. */
const WARM_UP_CALLS = 12_000
const AGENT = 'sdk, POST /agent/add'
/** Starts of our server without requests: with the MCP route, and without `@sdk/mcp`. */
const STARTS = { 'sdk, no MCP request': {}, 'sdk, no MCP route': { BENCH_MCP: 'no' } }
const STARTS_PER_ROUND = 4
/** The revisions of the protocol, and the servers that support them without sessions. */
const SERVERS = {
  '2026-07-28': ['sdk', 'mcp-handler', 'mastra'],
  '2025-11-25': ['sdk', 'mcp-handler', 'hono', 'fastmcp'],
} as const
type Revision = keyof typeof SERVERS

/** A server, and the request that it answers. */
interface Side {
  readonly title: string
  readonly name: string
  readonly request: Buffer
}

const input = { a: 1, b: 2 }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Ours run one after the other, since their figures are compared with each other. */
const SIDES: readonly Side[] = [
  { title: AGENT, name: 'sdk', request: toRequest('/agent/add', input) },
  ...toSides('2026-07-28', { _meta: META }),
  ...toSides('2025-11-25', {}),
].toSorted((a, b) => Number(b.name === 'sdk') - Number(a.name === 'sdk'))

const node = await installNode(22)
pin(process.pid, CORE.load)
const figures = new Map<string, number[]>()
for (let round = 0; round <= ROUNDS; round++) {
  if (round === 1) figures.clear() // the first round fills the file cache
  for (let start = 0; start < STARTS_PER_ROUND; start++)
    for (const [title, env] of Object.entries(STARTS)) await measureStart(title, env)
  for (const side of SIDES) await measure(side, { isWarm: round > 0 })
}
print()

async function measureStart(title: string, env: Readonly<Record<string, string>>): Promise<void> {
  const server = await startServer({
    name: title,
    file: join(import.meta.dirname, 'mcp/sdk.mjs'),
    node: node.path,
    env,
  })
  const { cpu, rss } = await costOf(server)
  server.child.kill('SIGKILL')
  add(title, 'start, ms of CPU', (cpu.user + cpu.system) / 1000)
  add(title, 'RSS, MB', rss / 2 ** 20)
}

async function measure({ title, name, request }: Side, { isWarm }: { isWarm: boolean }): Promise<void> {
  const started = performance.now()
  const file = join(import.meta.dirname, `mcp/${name}.mjs`)
  const server = await startServer({ name, file, node: node.path })
  try {
    await load(server, request, { connections: 1, ms: 0 })
    add(title, 'start to first answer, ms', performance.now() - started)
    const { cpu } = await costOf(server)
    add(title, 'start to first answer, ms of CPU', (cpu.user + cpu.system) / 1000)
    if (isWarm) await measureCalls(title, server, request)
  } finally {
    server.child.kill('SIGKILL')
  }
}

async function measureCalls(name: string, server: ServerProcess, request: Buffer): Promise<void> {
  await load(server, request, { connections: CONNECTIONS, ms: 0, atLeast: WARM_UP_CALLS })
  const before = await costOf(server)
  const { requests, seconds } = await load(server, request, { connections: CONNECTIONS, ms: MS })
  const after = await costOf(server)
  add(name, 'calls/s', requests / seconds)
  add(name, 'µs of CPU per call', cpuBetween(before, after) / requests)
  add(name, 'RSS, MB', after.rss / 2 ** 20)
}

async function load({ port, name }: ServerProcess, request: Buffer, options: Omit<Load, 'port' | 'request'>) {
  const result = await runLoad({ port, request, ...options })
  const failed = [...result.statuses].filter(([status]) => status !== 200)
  if (failed.length > 0) throw new Error(`${name} answered with ${failed.map(([status]) => status).join(', ')}`)
  return result
}

function toSides(revision: Revision, meta: object): Side[] {
  const params = { name: 'add', arguments: input, ...meta }
  const request = toRequest('/api/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, [
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${revision}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: add',
  ])
  return SERVERS[revision].map((name) => ({ title: `${name}, ${revision}`, name, request }))
}

function toRequest(path: string, body: object, headers: readonly string[] = ['Accept: application/json']): Buffer {
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    ...headers,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

function add(name: string, figure: string, value: number): void {
  const key = `${name}: ${figure}`
  figures.set(key, [...(figures.get(key) ?? []), value])
}

function print(): void {
  console.log(
    `${cpus().length} cores, ${process.arch}; Node ${node.version}; medians of ${ROUNDS} rounds; load ${loadavg()[0]?.toFixed(1)}`,
  )
  for (const [key, values] of figures) console.log(`  ${key.padEnd(50)} ${middle(values).toFixed(1)}`)
  for (const revision of Object.keys(SERVERS)) {
    const ratio = ratioOf(cpuOf(`sdk, ${revision}`), cpuOf(AGENT))
    console.log(`  ${`sdk, ${revision}: CPU of ${AGENT}`.padEnd(50)} ${ratio.toFixed(2)} ×`)
  }
}

function cpuOf(title: string): readonly number[] {
  return figures.get(`${title}: µs of CPU per call`) ?? []
}
