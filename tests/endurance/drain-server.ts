// A server that is restarted under load. It relies on `serve` for a graceful shutdown on SIGTERM, and records its work.
import { writeFileSync } from 'node:fs'
import { createAgent, createApp, type Log, serve } from '@sdk/server'
import { z } from 'zod'

/** The record of one server process. */
export interface Life {
  /** The numbers whose handler ran. */
  readonly executed: readonly number[]
  /** The last connections: the remote port and the time of each. */
  readonly accepted: readonly (readonly [port: number, at: number])[]
  readonly errors: readonly string[]
}

const [port = '0', file = ''] = process.argv.slice(2)
const executed: number[] = []
const accepted: [number, number][] = []
const errors: string[] = []

const quiet = (): void => {}
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (message, fields) => void errors.push(JSON.stringify({ message, ...fields })),
}

const echo = createAgent('echo', {
  input: z.object({ n: z.int(), wait: z.int() }),
  handler: async (_ctx, { n, wait }) => {
    executed.push(n)
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return { n }
  },
})

const app = createApp({
  log,
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  agents: [echo],
})
const server = await serve(app, { port: Number(port) })
server.http.on('connection', ({ remotePort = 0 }) => {
  if (accepted.push([remotePort, Date.now()]) > 4_000) accepted.splice(0, 2_000)
})
process.on('exit', () => writeFileSync(file, JSON.stringify({ executed, accepted, errors } satisfies Life)))
console.log(server.url)
