// One life of a server that will be killed. It stands by until it gets SIGUSR2, and then takes the port, as soon as it
// is free: so there is always a next one.
import { createApp, createRouter, createSocket, type Log, serve, type Server } from '@sdk/server'
import { z } from 'zod'
import { isEnough, openNotes, readLastPublished } from './notes.ts'
import { pace } from './pace.ts'

/** What a life is told by its parent. */
export interface LifeOptions {
  readonly port: number
  /** For its notes. */
  readonly folder: string
  /** It publishes so many numbers a second. */
  readonly perSecond: number
  /** Over how long clients come back. @default that of the server */
  readonly spread?: number
  /** So long in ms takes the handler of every tenth message. @default no time */
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
    const answer = (): void => {
      peer.send({ n })
      publishAll()
    }
    if (slowMs === undefined || n % 10 !== 0) return answer()
    return new Promise<void>((resolve) => setTimeout(resolve, slowMs)).then(answer)
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
  // All come from one address.
  rateLimit: { default: { quota: 1e9, window: 60 } },
  limits: { socket: { rate: false, ...(spread !== undefined && { spread }) } },
})

let isPublishing = false
let isLeaving = false

/** A number is written down before it is published: one is lost rather than published twice. */
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

/** The life before may still be about to end. */
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

// To wait for a signal keeps no process alive.
const waiting = setInterval(() => {}, 60_000)
// The next life goes on with the numbers: two at once would give out the same ones.
process.once('SIGTERM', () => (isLeaving = true))
process.once('SIGUSR2', () => {
  clearInterval(waiting)
  void (async () => {
    const { url } = await takePort()
    // Whatever was published before goes on at once; the first number of all waits for the first message.
    if (readLastPublished(folder) > 0) publishAll()
    console.log(url)
  })()
})
console.log('stands by')
