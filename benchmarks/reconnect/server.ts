import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A server in a separate process. It shares the machine with all others, since nothing is timed on it. */
export interface Server {
  readonly port: number
  /** Sends `kill -9`. Resolves when the process has exited. */
  kill(): Promise<void>
}

/** Starts a module of `servers/` and waits until it listens. */
export async function startServer(name: string, options: { port?: number; file?: string } = {}): Promise<Server> {
  const { port = 0, file = '' } = options
  const child = fork(join(import.meta.dirname, `servers/${name}.mjs`), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', BENCH_PORT: String(port), BENCH_FILE: file },
  })
  const [opened] = (await Promise.race([once(child, 'message'), failed(child, name)])) as [{ port: number }]
  return {
    port: opened.port,
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code === null) return new Promise(() => {}) // killed by us
  throw new Error(`the server ${name} exited with ${code}`)
}
