// Our server on the memory engine: it loses its state when it is killed.
import { appendFileSync } from 'node:fs'
import { createApp, createLog, createRouter, createSocket, serve } from '@sdk/server'
import { report } from '../../harness/report.mjs'

const { BENCH_PORT = '0', BENCH_FILE = '' } = process.env
const feed = createSocket({
  message(peer, message) {
    if (BENCH_FILE !== '') appendFileSync(BENCH_FILE, `${String(message)} ${peer.messageId}\n`)
  },
})
const app = createApp({
  router: createRouter().socket('/ws/feed', feed),
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  // All clients have the same address here, and send more than users do.
  limits: { socket: { rate: false, perAddress: 1000 } },
  log: createLog({ level: 'error' }),
})
const server = await serve(app, { port: Number(BENCH_PORT) })
report(server.port)
