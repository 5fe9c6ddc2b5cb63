import type { RunningProcess } from './running-process.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

/** A server with its own data that tests can kill and restart. */
export interface Service {
  /** The URL to connect to, which does not change on a restart. */
  readonly url: string
  /** Sends `SIGKILL`. Connections are lost, but the data is kept. */
  kill(): Promise<void>
  /** Restarts the server after `kill`, with the same data and port. */
  start(): Promise<void>
  /** Sends a signal, for example to freeze (`SIGSTOP`) or resume (`SIGCONT`) the server. */
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

/** Launches a service and returns it once it accepts connections. */
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
