// One process of a service that is restarted. It waits for SIGUSR2, and then listens on the port as soon as it is free.
import { readFileSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'
import { createApp, createRouter, createSocket, type Log, serve, type Server } from '@sdk/server'
import { z } from 'zod'
import { openEngine } from '../../contract/open-engine.ts'

/** Options for a process. */
export interface ProcessOptions {
  readonly port: number
  /** The URL of the engine's server. */
  readonly engine: string
  /** The file with the page. */
  readonly page: string
}

const { port, engine, page } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const html = readFileSync(page)
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: print, error: print }

/** Echoes each number to its sender, and publishes those of the first client to all. */
const talk = createSocket({
  receive: z.object({ by: z.int(), n: z.int() }),
  open: (peer) => peer.join('talk'),
  async message(peer, { by, n }) {
    peer.send({ n })
    if (by === 0) await peer.publish('talk', { by, n })
  },
})

/** Sends the requested number of messages, a few at a time. */
const count = createSocket({
  receive: z.int().max(10_000),
  async message(peer, last) {
    for (let n = 1; n <= last; n++) {
      peer.send(n)
      if (n % 3 === 0) await pass(1)
    }
  },
})

const app = createApp({
  log,
  engine: openEngine(engine, { log }),
  router: createRouter().socket('/ws/talk', talk).socket('/ws/count', count),
  rateLimit: false,
  limits: { socket: { rate: false, spread: 500, replayMessages: 2000 } },
})

async function takePort(): Promise<Server> {
  for (;;) {
    try {
      return await serve(app, {
        port,
        fallback: (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      await pass(10)
    }
  }
}

// A listener of signals does not keep a process alive.
const waiting = setInterval(() => {}, 60_000)
process.once('SIGUSR2', () => {
  clearInterval(waiting)
  void takePort().then(({ url }) => console.log(url))
})
console.log('standing by')
