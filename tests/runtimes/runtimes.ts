import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startWorkerd } from './workerd/start-workerd.ts'

/** The runtimes that the contract suite can run on. */
export type RuntimeName = 'node20' | 'node22' | 'node24' | 'bun' | 'deno' | 'workerd'

/** A runtime and the command that runs a TypeScript program on it. */
export interface Runtime {
  readonly name: RuntimeName
  readonly command: readonly string[]
}

/** A server in its own process. */
export interface RunningServer {
  readonly url: string
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
  kill(): void
}

const CONDITIONS = '--conditions=@sdk/source'

const NODE = [CONDITIONS, '--import', 'tsx']

const ARGUMENTS: Readonly<Record<RuntimeName, readonly string[]>> = {
  node20: NODE,
  node22: NODE,
  node24: NODE,
  bun: [CONDITIONS],
  workerd: [],
  deno: ['run', '--allow-all', '--no-check', '--node-modules-dir=manual', CONDITIONS],
}

/**
 * Returns the runtimes to test: those in `SDK_TEST_RUNTIMES`, such as `{"bun":"/path/to/bun"}`, which
 * `npm run matrix` installs, or else the running Node.
 */
export function listRuntimes(): Runtime[] {
  const running = { [`node${process.versions.node.split('.')[0]}`]: process.execPath }
  const paths = JSON.parse(process.env['SDK_TEST_RUNTIMES'] ?? JSON.stringify(running)) as Record<RuntimeName, string>
  return (Object.entries(paths) as [RuntimeName, string][]).map(([name, path]) => ({
    name,
    command: [path, ...ARGUMENTS[name]],
  }))
}

/** Starts the app of the contract suite in workerd, which bundles it first. */
async function startContractWorker(): Promise<RunningServer> {
  const { url, stop } = await startWorkerd(join(import.meta.dirname, 'workerd/contract-worker.ts'))
  return { url, stop: () => stop().then(() => null), kill: () => void stop() }
}

/** Starts the app of the contract suite on a runtime. */
export async function startServer({ name, command: [program = '', ...args] }: Runtime): Promise<RunningServer> {
  if (name === 'workerd') return startContractWorker()
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(program, [...args, join(import.meta.dirname, 'program.ts'), name], {
    cwd: join(import.meta.dirname, '../..'),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const first = new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
  const url = await Promise.race([first, exited])
  if (typeof url !== 'string') throw new Error(`the server on ${name} exited with ${url}`)
  return {
    url,
    stop: () => (child.kill('SIGTERM'), exited),
    kill: () => void child.kill('SIGKILL'),
  }
}
