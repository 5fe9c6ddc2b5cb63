// One of the processes of a cluster, which is killed and restarted.
import { appendFileSync } from 'node:fs'
import { createApp, createRouter, createSocket, type Log, serve } from '@sdk/server'
import { z } from 'zod'
import { openEngine } from '../../contract/open-engine.ts'

/** The input from its parent. */
export interface ServiceOptions {
  readonly port: number
  /** The URL of the engine's server. */
  readonly engine: string
  /** The file with one line per handled message. */
  readonly notes: string
  /** The time over which clients reconnect, in ms. */
  readonly spread: number
  /** A quota of requests per minute, for tests of rate limits. */
  readonly quota?: number
}

const { port, engine: url, notes, spread, quota } = JSON.parse(process.argv[2] ?? '') as ServiceOptions
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: print }

/** A client sends numbers to its room, which is in its URL, so it joins the room again after a reconnect. */
const talk = createSocket({
  receive: z.object({ n: z.int(), by: z.string() }),
  open: (peer) => peer.join(peer.query['room'] ?? ''),
  async message(peer, { n, by }) {
    appendFileSync(notes, `${by} ${n}\n`)
    // An unavailable engine rejects messages; that is not an error of the message.
    await peer.publish(peer.query['room'] ?? '', { by, n }).catch(quiet)
    peer.send({ n })
  },
})

const app = createApp({
  log,
  engine: openEngine(url, { log, lease: 3 }),
  router: createRouter()
    .on('GET /api/hello', () => ({ by: process.pid }))
    .socket('/ws/talk', talk),
  // All clients have one address, unless they act as a proxy.
  trustedProxies: ['127.0.0.1'],
  rateLimit: quota === undefined ? false : { default: { quota, window: 60 } },
  limits: { socket: { rate: false, perAddress: 100_000, spread } },
})

const server = await serve(app, { port })
console.log(`serves ${server.url}`)
