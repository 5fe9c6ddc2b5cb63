import { nodeArguments } from './compile-program.ts'
import { type RunningProcess, startProcess } from './running-process.ts'

/** Options for `spawnNode`. */
export interface SpawnNodeOptions {
  /** The program to run, in JavaScript or TypeScript. */
  file: string
  args?: readonly string[]
  cwd?: string
  env?: Record<string, string | undefined>
  /** A pattern that matches the output when the process is ready. @default the first URL */
  ready?: RegExp
}

/** A Node child process that is ready. */
export interface NodeProcess extends RunningProcess {
  /** The output that `ready` matched: by default, the printed URL. */
  readonly url: string
}

/** Starts a Node child process and waits until it is ready: by default, until it prints its URL. */
export async function spawnNode(options: SpawnNodeOptions): Promise<NodeProcess> {
  const { file, args = [], ready = /https?:\/\/[^\s,)]+/, ...rest } = options
  const running = await startProcess({
    command: process.execPath,
    // The embedded PostgreSQL is WebAssembly, and optimizing it takes longer than running the tests.
    args: ['--liftoff-only', ...(await nodeArguments(file)), ...args],
    ...rest,
  })
  try {
    return { ...running, url: await running.waitFor(ready) }
  } catch (error) {
    await running.kill()
    throw error
  }
}
