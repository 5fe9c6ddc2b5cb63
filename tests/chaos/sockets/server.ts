// One process of a server that will be killed. It waits for SIGUSR2, and then listens on the port as soon as it is
// free, so a next process is always ready.
import { createApp, createRouter, createSocket, type Log, serve, type Server } from '@sdk/server'
import { z } from 'zod'
import { isEnough, openNotes, readLastPublished } from './notes.ts'
import { pace } from './pace.ts'

/** The input from its parent. */
export interface LifeOptions {
  readonly port: number
  /** The folder of its notes. */
  readonly folder: string
  /** The rate of published numbers per second. */
  readonly perSecond: number
  /** The time over which clients reconnect. @default the default of the server */
  readonly spread?: number
  /** The duration of the handler of every tenth message, in ms. @default 0 */
  readonly slowMs?: number
}

const { port, folder, perSecond, spread, slowMs } = JSON.parse(process.argv[2] ?? '') as LifeOptions
const notes = openNotes(folder)
const life = String(process.pid)
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: print, error: print }

const numbers = createSocket({
  receive: z.object({ n: z.int() }),
  message(peer, { n }) {
    const { messageId, redelivered } = peer
    notes.handled({ n, messageId, redelivered, life })
    const reply = (): void => {
      peer.send({ n })
      publishAll()
    }
    if (slowMs === undefined || n % 10 !== 0) return reply()
    return new Promise<void>((resolve) => setTimeout(resolve, slowMs)).then(reply)
  },
})

const listening = createSocket({
  async open(peer) {
    await peer.join('numbers')
    peer.send({ joined: true })
  },
})

const app = createApp({
  log,
  router: createRouter().socket('/ws/numbers', numbers).socket('/ws/listening', listening),
  // All clients have one address.
  rateLimit: { default: { quota: 1e9, window: 60 } },
  limits: { socket: { rate: false, ...(spread !== undefined && { spread }) } },
})

let isPublishing = false
let isLeaving = false

/** A number is recorded before it is published, so that it may be lost but never published twice. */
function publishAll(): void {
  if (isPublishing) return
  isPublishing = true
  let n = readLastPublished(folder)
  void pace(perSecond, () => {
    if (isLeaving || isEnough(folder)) return 'done'
    notes.published(++n)
    app.sockets.publish('numbers', { n }).catch((error: unknown) => console.log('publishing failed', error))
    return 'next'
  })
}

/** The previous process may still be shutting down. */
async function takePort(): Promise<Server> {
  for (;;) {
    try {
      return await serve(app, { port })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

// A signal listener does not keep the process alive.
const waiting = setInterval(() => {}, 60_000)
// The next process continues the numbers: two publishers would use the same ones.
process.once('SIGTERM', () => (isLeaving = true))
process.once('SIGUSR2', () => {
  clearInterval(waiting)
  void (async () => {
    const { url } = await takePort()
    // Continue immediately if something was published before; the very first number waits for the first message.
    if (readLastPublished(folder) > 0) publishAll()
    console.log(url)
  })()
})
console.log('stands by')
