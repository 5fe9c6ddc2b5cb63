import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The way from a page to a server, which can be unplugged. */
export interface Cable {
  readonly url: string
  /** Ends every connection, and refuses new ones. */
  unplug(): void
  plug(): void
  close(): Promise<void>
}

/** Passes bytes on to a port, both ways. */
export async function layCable(target: number): Promise<Cable> {
  const sockets = new Set<Socket>()
  let isPlugged = true
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    // What is unplugged breaks: that is the point.
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = createServer({ noDelay: true }, (client) => {
    if (!isPlugged) {
      client.resetAndDestroy()
      return
    }
    const upstream = keep(connect({ port: target, host: '127.0.0.1', noDelay: true }))
    keep(client).pipe(upstream).pipe(client)
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const unplug = (): void => {
    isPlugged = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unplug,
    plug: () => (isPlugged = true),
    async close() {
      unplug()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
