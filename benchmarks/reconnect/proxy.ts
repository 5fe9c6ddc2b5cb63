import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A TCP proxy to a server. */
export interface Proxy {
  readonly port: number
  /** Stops forwarding on existing connections without notifying either end; new connections work. Returns the time. */
  freeze(): Promise<number>
  close(): void
}

/** Starts a proxy to a port, with a delay of `delayMs` in each direction. */
export async function startProxy({ port, delayMs = 0 }: { port: number; delayMs?: number }): Promise<Proxy> {
  const file = join(import.meta.dirname, 'proxy-process.mjs')
  const child = fork(file, [String(port), String(delayMs)], { execArgv: [] })
  const [opened] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: opened.port,
    async freeze() {
      child.send('freeze')
      const [{ frozen }] = (await once(child, 'message')) as [{ frozen: number }]
      return frozen
    },
    close: () => void child.kill('SIGKILL'),
  }
}
