import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that can be made slow, or cut without telling anyone. */
export interface Proxy {
  readonly port: number
  /** From now on nothing passes on the connections there are, and neither end is told. New ones work. */
  freeze(): void
  close(): void
}

/** Opens a way to a port; all that passes takes `delayMs` each way. */
export async function startProxy(options: { port: number; delayMs?: number }): Promise<Proxy> {
  const { delayMs = 0 } = options
  const links = new Set<Link>()
  const server = createServer((near) => {
    const far = connect({ port: options.port, host: '127.0.0.1' })
    const link: Link = { ends: [near, far], isFrozen: false }
    links.add(link)
    for (const end of link.ends) end.setNoDelay(true)
    forward(link, { from: near, to: far, delayMs })
    forward(link, { from: far, to: near, delayMs })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const link of links) link.isFrozen = true
    },
    close() {
      server.close()
      for (const { ends } of links) for (const end of ends) end.destroy()
    },
  }
}

interface Link {
  readonly ends: readonly [Socket, Socket]
  isFrozen: boolean
}

function forward(link: Link, { from, to, delayMs }: { from: Socket; to: Socket; delayMs: number }): void {
  // Timers of one length fire in the order in which they were set, so bytes keep theirs.
  const later = (run: () => void): void => {
    setTimeout(() => link.isFrozen || run(), delayMs)
  }
  from.on('data', (bytes) => later(() => to.write(bytes)))
  from.on('error', () => {}) // a close comes too
  from.on('close', () => later(() => to.destroy()))
}
