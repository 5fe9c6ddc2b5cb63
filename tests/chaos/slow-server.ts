// A server with clients that do not read. It sends numbers, alternating between the room and each client, and records
// its memory usage.
import { createServer } from 'node:net'
import { createApp, createRouter, createSocket, type Log, type Peer, serve } from '@sdk/server'
import { z } from 'zod'
import { sendReports } from '../endurance/child.ts'
import { SLOW_MS } from './mode.ts'

/** The state of the server. */
export interface SlowReport {
  /** The peak memory since the last report, in bytes. */
  readonly peak: number
  readonly connected: number
  /** The last number that was sent. */
  readonly last: number
  readonly errors: readonly string[]
}

/** A second listener without the large buffers of TCP, so that a thousand clients fit on any machine. */
const path = process.env['SLOW_PATH'] ?? ''
const TEXT = 'x'.repeat(10_000)
const errors: string[] = []
const quiet = (): void => {}
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (message, fields) => void errors.push(`${message}: ${JSON.stringify(fields)}`),
}

const peers = new Set<Peer>()
let last = 0
let flooding: NodeJS.Timeout | undefined

const flood = createSocket({
  receive: z.object({ perSecond: z.int() }),
  async open(peer) {
    peers.add(peer)
    await peer.join('flood')
    peer.send({ joined: true })
  },
  message: (_peer, { perSecond }) => {
    clearInterval(flooding)
    if (perSecond > 0) flooding = setInterval(step, 1000 / perSecond)
  },
  close: (peer) => peers.delete(peer),
})

function step(): void {
  last += 2
  app.sockets
    .publish('flood', { room: last / 2, connected: peers.size, text: TEXT })
    .catch((error: unknown) => errors.push(String(error)))
  for (const peer of peers) peer.send({ direct: last / 2, text: TEXT })
}

const app = createApp({
  log,
  router: createRouter().socket('/ws/flood', flood),
  // All clients have one address.
  rateLimit: { default: { quota: 1e9, window: 60 } },
  limits: { socket: { perAddress: 1e6, slow: SLOW_MS } },
})
const { http, port } = await serve(app, { port: 0 })
createServer((socket) => http.emit('connection', socket)).listen(path)

let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
sendReports(port, (): SlowReport => {
  const report = { peak, connected: peers.size, last: last / 2, errors }
  peak = 0
  return report
})
