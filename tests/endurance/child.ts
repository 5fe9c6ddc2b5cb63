import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nodeArguments } from '@sdk/test-kit'

/** A server in a separate process, which reports its state. */
export interface Child<Report> {
  readonly port: number
  /** Returns its state, after a garbage collection. */
  report(): Promise<Report>
  hasEnded(): boolean
  stop(): Promise<void>
}

/** Starts a script of this folder that calls `sendReports`. */
export async function startChild<Report>(file: string): Promise<Child<Report>> {
  const args = await nodeArguments(join(import.meta.dirname, file))
  const child = fork(args.at(-1) ?? '', {
    execArgv: ['--expose-gc', '--liftoff-only', ...args.slice(0, -1)],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const exited = once(child, 'exit')
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  const receive = async <T>(): Promise<T> => {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [T]
    if (hasEnded()) throw new Error(`${file} exited with ${child.exitCode ?? child.signalCode}`)
    return message
  }
  const { port } = await receive<{ port: number }>()
  return {
    port,
    hasEnded,
    report() {
      child.send('report')
      return receive<Report>()
    },
    async stop() {
      if (!hasEnded()) child.kill('SIGKILL')
      await exited
    },
  }
}

/** In the child process: reports the URL of the server, and its state on request. Exits with the parent. */
export function sendReports(port: number, report: () => object | Promise<object>): void {
  process.on('disconnect', () => process.exit())
  process.on('message', () => {
    void (async () => {
      // Objects that a collection releases, such as a request with a finalizer, are only collected by later
      // collections.
      for (let times = 0; times < 5; times++) {
        globalThis.gc?.()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      process.send?.(await report())
    })()
  })
  process.send?.({ port })
}
