// One of the processes of a cluster, to be killed and started again.
import { appendFileSync } from 'node:fs'
import { createApp, createRouter, createSocket, type Log, serve } from '@sdk/server'
import { z } from 'zod'
import { openEngine } from '../../contract/open-engine.ts'

/** What a process is told by its parent. */
export interface ServiceOptions {
  readonly port: number
  /** Of the engine's server. */
  readonly engine: string
  /** The file that takes a line for each message that was handled. */
  readonly notes: string
  /** Over how long clients come back, in ms. */
  readonly spread: number
  /** A quota of requests a minute, for tests of rate limits. */
  readonly quota?: number
}

const { port, engine: url, notes, spread, quota } = JSON.parse(process.argv[2] ?? '') as ServiceOptions
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: print }

/** A client counts aloud in its room, which is in its address: so it is in it again wherever it comes back. */
const talk = createSocket({
  receive: z.object({ n: z.int(), by: z.string() }),
  open: (peer) => peer.join(peer.query['room'] ?? ''),
  async message(peer, { n, by }) {
    appendFileSync(notes, `${by} ${n}\n`)
    // An engine that is away takes none; that is no fault of the message.
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
  // All come from one address, unless they say that they are a proxy.
  trustedProxies: ['127.0.0.1'],
  rateLimit: quota === undefined ? false : { default: { quota, window: 60 } },
  limits: { socket: { rate: false, perAddress: 100_000, spread } },
})

const server = await serve(app, { port })
console.log(`serves ${server.url}`)
