// One of the processes of a cluster with live data, which is killed and restarted.
import { openDatabase } from '@sdk/database'
import { createApp, serve } from '@sdk/server'
import { openEngine } from '../../contract/open-engine.ts'
import { createLiveRouter } from '../../live/world.ts'

/** The input from its parent. */
export interface ServiceOptions {
  readonly port: number
  readonly database: string
  /** The URL of the engine's server. */
  readonly engine: string
}

const { port, database, engine } = JSON.parse(process.argv[2] ?? '') as ServiceOptions
const quiet = (): void => {}
const print = (message: string, fields?: object): void => console.log(message, JSON.stringify(fields))
const log = { debug: quiet, info: quiet, warn: quiet, error: print }

const app = createApp({
  log,
  engine: openEngine(engine, { log, lease: 3 }),
  router: await createLiveRouter(openDatabase(database)),
  trustedProxies: ['127.0.0.1'],
  rateLimit: false,
  limits: { socket: { rate: false, perAddress: 100_000, spread: 0 } },
})
const server = await serve(app, { port })
console.log(`serves ${server.url}`)
