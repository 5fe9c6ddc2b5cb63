import { execFileSync, fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** A server in a separate process. */
export interface ServerProcess {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
}

/** The resources that a server has used so far. */
export interface Cost {
  cpu: NodeJS.CpuUsage
  rss: number
}

/** Options for `startServer`. */
export interface ServerOptions {
  readonly name: string
  /** A module that calls `report` of `harness/report.mjs`. */
  readonly file: string
  readonly env?: Readonly<Record<string, string>>
  /** Flags of Node, such as `--expose-gc`. @default [] */
  readonly flags?: readonly string[]
  /** The path of Node. @default process.execPath */
  readonly node?: string
}

/** Pins server and load to separate cores, so that they do not compete. */
export const CORE = { server: 0, load: 1 } as const

/**
 * Starts Node without address space randomization if the machine allows it: the memory layout of a process decides
 * whether
 * its socket writes cost 5 or 10 µs, for its whole lifetime.
 */
const FIXED_LAYOUT: readonly string[] = spawnSync('setarch', ['-R', 'true']).status === 0 ? ['setarch', '-R'] : []

/** Starts a server on its core and waits until it listens. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { name, file, env = {}, flags = [], node = process.execPath } = options
  const [command = node, ...args] = [...FIXED_LAYOUT, node, ...flags]
  const child = fork(file, {
    execPath: command,
    execArgv: args,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  if (child.pid !== undefined) pin(child.pid, CORE.server)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ${name} exited with ${code} before it listened`)
  })
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]
  ended.catch(() => {}) // from here on, an exit is expected
  return { name, child, port }
}

/** Requests the resource usage of a server. */
export function costOf(server: ServerProcess): Promise<Cost> {
  return ask(server, 'cost')
}

/** Requests the usage after a garbage collection; the server needs `--expose-gc`. */
export function settledCostOf(server: ServerProcess): Promise<Cost> {
  return ask(server, 'settle')
}

async function ask({ child }: ServerProcess, question: 'cost' | 'settle'): Promise<Cost> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [Cost]
  return answer
}

/** Returns the microseconds of CPU between two measurements. */
export function cpuBetween(before: Cost, after: Cost): number {
  return after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
}

/** Pins a process, and the processes that it starts from now on, to one core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-cp', String(core), String(pid)], { stdio: 'ignore' })
}
