import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy between a page and a server that can be disconnected. */
export interface Cable {
  readonly url: string
  /** Holds back the bytes from the page, or from the server. */
  hold(from: 'page' | 'server'): void
  /** Forwards the held bytes. */
  release(): void
  /** Closes all connections, drops held bytes, and refuses new connections. */
  unplug(): void
  plug(): void
  close(): Promise<void>
}

/** Forwards bytes to a port in both directions. */
export async function layCable(target: number): Promise<Cable> {
  const ends = { page: new Set<Socket>(), server: new Set<Socket>() }
  let isPlugged = true
  const all = (): Socket[] => [...ends.page, ...ends.server]
  const server = createServer({ noDelay: true }, (page) => {
    if (!isPlugged) {
      page.resetAndDestroy()
      return
    }
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true })
    keep(page, ends.page).pipe(keep(upstream, ends.server)).pipe(page)
    page.once('close', () => upstream.destroy())
    upstream.once('close', () => page.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const unplug = (): void => {
    isPlugged = false
    for (const socket of all()) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(from) {
      for (const socket of ends[from]) socket.pause()
    },
    release() {
      for (const socket of all()) socket.resume()
    },
    unplug,
    plug: () => (isPlugged = true),
    async close() {
      unplug()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function keep(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket)
  // Errors of disconnected sockets are expected.
  return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
}
