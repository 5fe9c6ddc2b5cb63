import { execFileSync, fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

/** What a server has used so far. */
export interface Cost {
  cpu: NodeJS.CpuUsage
  rss: number
}

/** What `startServer` takes. */
export interface ServerOptions {
  readonly name: string
  /** A module that calls `report` of `harness/report.mjs`. */
  readonly file: string
  readonly env?: Readonly<Record<string, string>>
  /** Flags of Node's own, such as `--expose-gc`. @default [] */
  readonly flags?: readonly string[]
}

/** The cores that server and load have for themselves, so that they do not take each other's. */
export const CORE = { server: 0, load: 1 } as const

/**
 * Starts Node without address space randomization, where the machine allows it: the layout of a process decides whether
 * its writes to sockets cost 5 or 10 µs, for as long as it lives.
 */
const FIXED_LAYOUT: readonly string[] = spawnSync('setarch', ['-R', 'true']).status === 0 ? ['setarch', '-R'] : []

/** Starts a server on its core and waits until it listens. */
export async function startServer({ name, file, env = {}, flags = [] }: ServerOptions): Promise<ServerProcess> {
  const [command = process.execPath, ...args] = [...FIXED_LAYOUT, process.execPath, ...flags]
  const child = fork(file, {
    execPath: command,
    execArgv: args,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  if (child.pid !== undefined) pin(child.pid, CORE.server)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ${name} ended with ${code} before it listened`)
  })
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
  ended.catch(() => {}) // from now on it may end
  return { name, child, port }
}

/** Asks a server what it has used. */
export function costOf(server: ServerProcess): Promise<Cost> {
  return ask(server, 'cost')
}

/** The same, after its garbage is gone; the server needs `--expose-gc` for that. */
export function settledCostOf(server: ServerProcess): Promise<Cost> {
  return ask(server, 'settle')
}

async function ask({ child }: ServerProcess, question: 'cost' | 'settle'): Promise<Cost> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [Cost]
  return answer
}

/** Microseconds of CPU between two costs. */
export function cpuBetween(before: Cost, after: Cost): number {
  return after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
}

/** Keeps a process, and those it starts from now on, on one core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-cp', String(core), String(pid)], { stdio: 'ignore' })
}
