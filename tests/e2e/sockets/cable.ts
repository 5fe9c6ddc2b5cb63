import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The way from a page to a server, which can be unplugged. */
export interface Cable {
  readonly url: string
  /** Keeps back what comes from the page, or from the server. */
  hold(from: 'page' | 'server'): void
  /** Lets it pass. */
  release(): void
  /** Ends every connection, with what is kept back, and refuses new ones. */
  unplug(): void
  plug(): void
  close(): Promise<void>
}

/** Passes bytes on to a port, both ways. */
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
  // What is unplugged breaks: that is the point.
  return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
}
