/**
 * Measures the time from a save to the new response under constant load: `sdk dev` with 3 and 100 agents, and other dev
 * servers.
 */
import { cpus, loadavg } from 'node:os'
import { middle } from './harness/middle.ts'
import { PEERS } from './dev/peers.ts'
import { runPeer, type Measured } from './dev/run-peer.ts'

const NAMES = (process.env['BENCH_PEERS'] ?? Object.keys(PEERS).join(',')).split(',')
const EDITS = Number(process.env['BENCH_EDITS'] ?? 50)
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 2)
const LIMIT_MS = Number(process.env['BENCH_LIMIT_MS'] ?? 60_000)

const results = new Map<string, Measured>()
console.log(`${cpus().length} cores, ${process.arch}, Node ${process.version}; load ${load()} at the start`)
console.log(`${EDITS} saves each; ${CONNECTIONS} connections call continuously\n`)
console.log('                ready ms   p50 ms   p95 ms   max ms   calls  failed')
for (const name of NAMES) await measure(name)
console.log(`\nload ${load()} at the end, ${(performance.now() / 1000).toFixed(0)} s in all\n`)
for (const line of goals()) console.log(line)

async function measure(name: string): Promise<void> {
  const peer = PEERS[name]
  if (peer === undefined) throw new Error(`unknown name ${name}, expected one of: ${Object.keys(PEERS).join(', ')}`)
  try {
    // Fewer edits for a slow peer: each takes seconds.
    const edits = name === 'mastra' ? Math.min(3, EDITS) : EDITS
    const measured = await runPeer(peer, { edits, connections: CONNECTIONS, limitMs: LIMIT_MS })
    results.set(name, measured)
    const { ready, calls, failed } = measured
    const figures = [ready, p50(measured), p95(measured), Math.max(...measured.edits), calls, failed]
    console.log(name.padEnd(16) + figures.map((figure) => figure.toFixed(0).padStart(8)).join(' '))
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    console.log(`${name.padEnd(16)}not measured: ${first}`)
  }
}

function p50({ edits }: Measured): number {
  return middle(edits)
}

function p95({ edits }: Measured): number {
  return edits.toSorted((a, b) => a - b)[Math.ceil(edits.length * 0.95) - 1] ?? Number.NaN
}

function goals(): string[] {
  const few = results.get('sdk')
  if (few === undefined) return []
  const ours = [...results].filter(([name]) => name.startsWith('sdk'))
  const failed = ours.reduce((sum, [, one]) => sum + one.failed, 0)
  return [
    goal('p50 of a save, ms', p50(few), 50),
    goal('p95 of a save, ms', p95(few), 120),
    goal('failed requests', failed, 0),
    goal('ready, ms', few.ready, 1500),
    ...times("100 agents, times 3: a save of one agent's file", ['sdk-100', 'sdk']),
    ...times('100 agents, times 3: a save of a file of all agents', ['sdk-100-shared', 'sdk-shared']),
  ]
}

function times(text: string, names: readonly [string, string]): string[] {
  const [many, few] = names.map((name) => results.get(name))
  return many === undefined || few === undefined ? [] : [goal(text, p50(many) / p50(few), 2)]
}

function goal(text: string, value: number, most: number): string {
  return `${value <= most ? '✓' : '✗'} ${text}: ${value.toFixed(value < 10 ? 1 : 0)}, at most ${most}`
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? ''
}
