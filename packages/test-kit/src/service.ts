import type { RunningProcess } from './running-process.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

/** A server with its own data that tests can kill and restart. */
export interface Service {
  /** The URL to connect to; restarts do not change it. */
  readonly url: string
  /** Sends `SIGKILL`: connections break, the data is kept. */
  kill(): Promise<void>
  /** Starts the server again with the same data and port after `kill`. */
  start(): Promise<void>
  /** Sends a signal, to freeze (`SIGSTOP`) and resume (`SIGCONT`) it. */
  signal(name: NodeJS.Signals): void
  /** Stops the server permanently and deletes its data. */
  stop(): Promise<void>
}

/** Options for `startService`. */
export interface ServiceOptions {
  url: string
  folder: TemporaryFolder
  /** Starts the process and resolves when it accepts connections. */
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
