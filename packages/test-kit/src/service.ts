import type { RunningProcess } from './running-process.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

/** A server with its own data, for tests that also want to see it die and come back. */
export interface Service {
  /** Where to connect; stays the same over restarts. */
  readonly url: string
  /** `kill -9`: the connections break, the data stays. */
  kill(): Promise<void>
  /** Starts again on the same data and port after `kill`. */
  start(): Promise<void>
  /** Freezes and thaws it: `SIGSTOP`, `SIGCONT`. */
  signal(name: NodeJS.Signals): void
  /** Ends it for good and deletes its data. */
  stop(): Promise<void>
}

/** Options of `startService`. */
export interface ServiceOptions {
  url: string
  folder: TemporaryFolder
  /** Starts the process and resolves when it takes connections. */
  launch(): Promise<RunningProcess>
}

/** Launches a service. */
export async function startService({ url, folder, launch }: ServiceOptions): Promise<Service> {
  let running = await launch()
  let isEnding = false
  const kill = async (): Promise<void> => {
    isEnding = true
    await running.kill()
  }
  return {
    url,
    kill,
    async start() {
      if (!isEnding && !running.hasEnded()) throw new Error(`${url} is still running`)
      await running.exited
      running = await launch()
      isEnding = false
    },
    signal: (name) => running.signal(name),
    async stop() {
      await kill()
      folder.remove()
    },
  }
}
