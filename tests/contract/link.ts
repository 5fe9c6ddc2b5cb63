import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A connection to a server that can be cut. */
export interface Link {
  readonly url: string
  /** Drops the responses of the server. */
  mute(): void
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

/** Opens a connection to a local server. */
export async function openLink(target: string): Promise<Link> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => from.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await closed
  }
  const listenOn = async (at: number): Promise<number> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('the link has no port')
    return address.port
  }
  const at = await listenOn(0)
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${at}` }).href,
    mute() {
      for (const socket of sockets) if (socket.remotePort === Number(port)) socket.unpipe().resume()
    },
    cut,
    async restore() {
      await listenOn(at)
    },
    close: cut,
  }
}
