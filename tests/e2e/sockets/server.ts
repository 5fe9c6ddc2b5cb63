import type { ServerResponse } from 'node:http'
import { createApp, createRouter, createSocket, type Log, serve, type Server, type Socket } from '@sdk/server'
import { bundle, toHtml } from '../bundle.ts'
import { PAGE } from './page.ts'

/** The events of one socket on the server. */
export interface Witness {
  /** The total number of connections, and the number of open ones. */
  opened: number
  open: number
  /** The messages of clients, in order, once per call of the handler. */
  readonly received: unknown[]
}

/** A server with the page at every path outside of `/ws`, and its recorded events. */
export interface Place {
  readonly server: Server
  readonly warnings: readonly string[]
  witness(name: Name): Witness
  /** Publishes to the room of a socket. */
  publish(name: Name, message: unknown): Promise<void>
  /** Responds with the page, as `fallback` does. */
  readonly page: (request: { url?: string | undefined }, response: ServerResponse) => void
}

const NAMES = ['strict', 'shared', 'offline', 'frozen', 'suspended', 'plain', 'foreign', 'early', 'remount'] as const

/** Every test has its own socket and room. */
type Name = (typeof NAMES)[number]

/** Starts the server. */
export async function startPlace(): Promise<Place> {
  const make = async (mode: 'development' | 'production'): Promise<string> =>
    toHtml('Sockets', await bundle({ files: { 'page.tsx': PAGE }, mode }))
  const [development, production] = [await make('development'), await make('production')]
  const page: Place['page'] = ({ url }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(url === '/production' ? production : development)
  }
  const witnesses = new Map(NAMES.map((name) => [name, { opened: 0, open: 0, received: [] as unknown[] }]))
  const witness = (name: Name): Witness => witnesses.get(name) ?? raise(name)
  const warnings: string[] = []
  const quiet = (): void => {}
  const warn = (message: string, fields?: object): void => void warnings.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug: quiet, info: quiet, warn, error: warn }
  let router = createRouter().socket('/ws/flood', flood)
  for (const name of NAMES) router = router.socket(`/ws/${name}`, watched(name, witness(name)))
  // Allows 30,000 messages in one burst; heartbeats are frequent, for a test that relies on them.
  const socket = { replayMessages: 40_000, replayBytes: 16e6, buffer: 16e6, heartbeat: 500, spread: 200 }
  const app = createApp({ log, router, rateLimit: false, limits: { socket } })
  const server = await serve(app, { port: 0, signals: false, survive: false, fallback: page })
  return { server, warnings, witness, publish: app.sockets.publish, page }
}

/** All clients are in the room; each message is echoed to its sender only. */
function watched(name: Name, witness: Witness): Socket<{ send: unknown; receive: unknown }> {
  return createSocket({
    async open(peer) {
      witness.opened++
      witness.open++
      await peer.join(name)
    },
    message(peer, message: unknown) {
      witness.received.push(message)
      peer.send({ answer: message })
    },
    close: () => void witness.open--,
  })
}

/** Sends the requested number of messages. */
const flood = createSocket({
  message(peer, message: unknown) {
    for (let n = 1; n <= Number(message); n++) peer.send({ n, text: 'a message of some length', at: { x: n, y: -n } })
  },
})

function raise(name: string): never {
  throw new Error(`unknown test ${name}`)
}
