/**
 * Measures the cost of types for many routes, for `tsc` and in an editor, compared with our peers and a bare app.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { middle } from './harness/middle.ts'
import { COMPILERS, compile, type Compilation, type Compiler } from './types/compilers.ts'
import { edit, type Session, type Taken } from './types/editor.ts'
import { PEERS } from './types/peers.ts'
import { middleRoute, write, type Project } from './types/project.ts'

const chosen = (name: string, all: readonly string[]): string[] => (process.env[name] ?? all.join(',')).split(',')
const NAMES = chosen('BENCH_PEERS', Object.keys(PEERS))
const SIZES = chosen('BENCH_SIZES', ['50', '200', '500', '1000']).map(Number)
const VERSIONS = chosen('BENCH_COMPILERS', Object.keys(COMPILERS))
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const LIMIT_MS = Number(process.env['BENCH_LIMIT_MS'] ?? 120_000)

/** The subject of the goals. */
const OURS = ['sdk', 'sdk-react', 'sdk-api'].filter((name) => NAMES.includes(name))

/** Cases slower than this are measured once. */
const SLOW_SECONDS = 4
const LARGEST = Math.max(...SIZES)
const SMALLEST = Math.min(...SIZES)

interface Row {
  readonly name: string
  readonly size: number
  readonly version: string
  readonly compilation: Compilation | null
  readonly session: Session
}

const folder = mkdtempSync(join(tmpdir(), 'sdk-types-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const rows: Row[] = []
console.log(`${cpus().length} cores, ${process.arch}, Node ${process.version}; load ${load()} at the start\n`)
console.log(
  'routes  TypeScript  project      tsc: instantiations, check s, CPU s, MB | editor: open, names after an edit,',
)
console.log('errors after an edit (wall s / CPU s), peak MB')
// The largest first, since it matters most.
for (const size of SIZES.toReversed()) for (const name of NAMES) await measureProject(name, size)
console.log(`\nload ${load()} at the end, ${(performance.now() / 1000).toFixed(0)} s in all\n`)
for (const goal of goals()) console.log(goal)

async function measureProject(name: string, size: number): Promise<void> {
  const project = write(join(folder, `${name}-${size}`), peerOf(name).sources(size))
  for (const version of VERSIONS) {
    const compiler = COMPILERS[version]
    if (compiler === undefined)
      throw new Error(`unknown TypeScript ${version}, expected one of: ${Object.keys(COMPILERS).join(', ')}`)
    const compilation = await compileOften(compiler, project)
    const options = { project, route: middleRoute(size), edits: ROUNDS, limitMs: LIMIT_MS }
    const row = { name, size, version, compilation, session: await edit(compiler, options) }
    rows.push(row)
    print(row)
  }
  rmSync(project.folder, { recursive: true })
}

async function compileOften(compiler: Compiler, project: Project): Promise<Compilation | null> {
  const all: Compilation[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const one = await compile(compiler, project.folder, LIMIT_MS)
    if (one === null) return null
    all.push(one)
    if (one.cpuSeconds > SLOW_SECONDS) break
  }
  const mid = (pick: (one: Compilation) => number): number => middle(all.map(pick))
  return {
    instantiations: mid((one) => one.instantiations),
    checkSeconds: mid((one) => one.checkSeconds),
    megabytes: mid((one) => one.megabytes),
    cpuSeconds: mid((one) => one.cpuSeconds),
  }
}

function print({ name, size, version, compilation, session }: Row): void {
  const late = `> ${LIMIT_MS / 1000} s`
  const tsc =
    compilation === null
      ? late
      : `${compilation.instantiations}, ${compilation.checkSeconds.toFixed(2)}, ${compilation.cpuSeconds.toFixed(1)}, ${compilation.megabytes.toFixed(0)}`
  const time = (taken: Taken | null): string =>
    taken === null ? late : `${taken.wallSeconds.toFixed(2)} / ${taken.cpuSeconds.toFixed(2)}`
  const editor = `${time(session.first)}, ${time(median(session.completions))}, ${time(median(session.diagnostics))}, ${session.megabytes.toFixed(0)}`
  console.log(`${String(size).padStart(6)}  ${version.padEnd(10)}  ${name.padEnd(11)}  ${tsc} | ${editor}`)
}

/** Null if the limit was reached first. */
function median(all: readonly Taken[] | null): Taken | null {
  if (all === null || all.length === 0) return null
  return {
    wallSeconds: middle(all.map(({ wallSeconds }) => wallSeconds)),
    cpuSeconds: middle(all.map(({ cpuSeconds }) => cpuSeconds)),
  }
}

function goals(): string[] {
  return [
    ...OURS.flatMap((name) => [...VERSIONS.flatMap((version) => editorGoals(name, version)), ...compilerGoals(name)]),
    ...callGoals(),
  ]
}

/** The cost of calls by route name in a handler, compared with the same API without them. */
function callGoals(): string[] {
  if (!NAMES.includes('sdk-api') || !NAMES.includes('sdk-call')) return []
  return SIZES.map((size) => {
    const [plain, calls] = [instantiations('sdk-api', size), instantiations('sdk-call', size)]
    const text = `sdk-call, ${size} routes: ${calls - plain} instantiations more, ${(calls / plain).toFixed(4)} × of sdk-api`
    return verdict(`${text} (at most 1.05)`, calls / plain <= 1.05)
  })
}

function editorGoals(own: string, version: string): string[] {
  const named = (name: string, size: number): number => {
    const session = rows.find((row) => row.name === name && row.size === size && row.version === version)?.session
    // A stopped run took at least the limit.
    return session === undefined ? Number.NaN : (median(session.completions)?.cpuSeconds ?? LIMIT_MS / 1000)
  }
  const ours = named(own, LARGEST)
  const share = ours / named('trpc', LARGEST)
  const growth = ours / named(own, SMALLEST)
  const isCurve = SIZES.length > 1 // otherwise there is nothing to compare with
  const where = `${own}, TypeScript ${version}, names after an edit at ${LARGEST} routes`
  return [
    ...(NAMES.includes('trpc')
      ? [verdict(`${where}: ${share.toFixed(3)} × tRPC's CPU (at most 0.05)`, share <= 0.05)]
      : []),
    verdict(`${where}: ${ours.toFixed(2)} s of CPU (at most 0.5)`, ours <= 0.5),
    ...(isCurve ? [verdict(`${where}: ${growth.toFixed(1)} × those at ${SMALLEST} (at most 2)`, growth <= 2)] : []),
  ]
}

function compilerGoals(own: string): string[] {
  const ratio = instantiations(own, LARGEST) / instantiations('bare', LARGEST)
  const slopes = SIZES.slice(1).map(
    (size, index) =>
      (instantiations(own, size) - instantiations(own, SIZES[index] ?? 0)) / (size - (SIZES[index] ?? 0)),
  )
  const bend = Math.max(...slopes) / Math.min(...slopes)
  const each = slopes.map((slope) => slope.toFixed(0)).join(', ')
  return [
    verdict(
      `${own}, instantiations at ${LARGEST} routes: ${ratio.toFixed(2)} × of the bare app (at most 1.5)`,
      ratio <= 1.5,
    ),
    ...(slopes.length > 0
      ? [verdict(`${own}, instantiations a further route: ${each} (linear: within 1.1 ×)`, bend <= 1.1)]
      : []),
  ]
}

/** The type instantiations of `tsc` 5.9, which has one checker. */
function instantiations(name: string, size: number): number {
  const row = rows.find((one) => one.name === name && one.size === size && one.version === '5.9')
  return row?.compilation?.instantiations ?? Number.NaN
}

function verdict(text: string, isMet: boolean): string {
  return `${isMet ? 'met    ' : 'NOT MET'}  ${text}`
}

function peerOf(name: string): (typeof PEERS)[string] {
  const found = PEERS[name]
  if (found === undefined) throw new Error(`unknown name ${name}, use one of: ${Object.keys(PEERS).join(', ')}`)
  return found
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(', ')
}
