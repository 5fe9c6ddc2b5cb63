import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A way to a server. */
export interface Proxy {
  readonly port: number
  /** From now on nothing passes on the connections there are, and neither end is told; new ones work. Tells when it was. */
  freeze(): Promise<number>
  close(): void
}

/** Opens a way to a port; all that passes takes `delayMs` each way. */
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
