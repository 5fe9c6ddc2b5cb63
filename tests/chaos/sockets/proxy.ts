import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** How a connection breaks: with a close frame, or without. */
export type Cut = 'fin' | 'rst'

/** A proxy that breaks connections. */
export interface Proxy {
  readonly port: number
  /** Closes all current connections on both sides. Returns their number. */
  cut(how: Cut): number
  close(): Promise<void>
}

/** Forwards bytes to a port in both directions. */
export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    // Errors of cut connections are expected.
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = keep(connect({ port: target, host: '127.0.0.1', noDelay: true }))
    keep(client).pipe(upstream).pipe(client)
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const cut = (how: Cut): number => {
    const all = [...sockets]
    for (const socket of all) {
      if (how === 'rst') socket.resetAndDestroy()
      else socket.destroy()
    }
    return all.length / 2
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      cut('fin')
      await closed
    },
  }
}
