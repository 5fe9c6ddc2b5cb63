import type { Server as HttpServer } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

/** How a server ends. */
export interface DrainOptions {
  /** How long what is in flight may take, in ms; what is left then is cut off. @default 30 000 */
  grace?: number
  /** How long idle connections stay open, in ms: a caller may be sending on one this moment. @default 0 */
  linger?: number
}

/** How often connections are looked through while a server ends, in ms. */
const SWEEP = 20

/**
 * Lets a server end without losing a request: no new connections, answers that say `Connection: close`,
 * and idle connections ended once nobody can be about to use them.
 */
export function createDrain(http: HttpServer): (options: Required<DrainOptions>) => Promise<void> {
  const sockets = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  return async ({ grace, linger }) => {
    // The close of `node:http` would cut idle connections at once.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(http, resolve))
    const started = performance.now()
    const sweep = (): void => {
      const waited = performance.now() - started
      if (waited >= grace) for (const socket of sockets) socket.destroy()
      else if (waited >= linger) endIdle()
    }
    const timer = setInterval(sweep, SWEEP)
    sweep()
    await closed
    clearInterval(timer)
    http.close() // ends the timer with which Node looks for late requests
  }

  function endIdle(): void {
    http.closeIdleConnections()
    // One that never sent anything is not idle in Node's eyes.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}
