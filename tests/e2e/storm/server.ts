import type { IncomingMessage, ServerResponse } from 'node:http'
import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { type Context, createApp, createLog, createRouter, createSocket, serve } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { bundle, toHtml } from '../bundle.ts'
import { createGate, type Gate } from '../client/server.ts'
import { PAGE } from './page.ts'

/** A call as its handler saw it. */
export interface Visit {
  /** The requested item. */
  readonly what: string
  /** The email address of the user, or `nobody`. */
  readonly who: string
  /** Whether the client disconnected before the response. */
  isGone: boolean
}

/** A server with users, whose responses a test can delay. */
export interface Place {
  readonly url: string
  readonly visits: Visit[]
  /** The users with an open socket, as `who team`. */
  readonly guests: Set<string>
  /** Delays responses to this request until the gate is open. */
  hold(what: string): Gate
  /** Opens all gates. */
  release(): void
  close(): Promise<void>
}

/** Starts the server. */
export async function startPlace(): Promise<Place> {
  const html = toHtml('Storm', await bundle({ files: { 'page.tsx': PAGE }, mode: 'development' }))
  const show = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(url === '/' ? html : '<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,">')
  }
  const auth = createAuth({
    connectionString: await emptyDatabase(),
    secret: 'a secret of the tests, long enough to be one',
    throttle: false, // all clients have one address
  })
  await auth.ready()
  const visits: Visit[] = []
  const guests = new Set<string>()
  const gates = new Map<string, Gate>()

  const enter = async (ctx: Context, what: string): Promise<Visit> => {
    const visit = { what, who: (await ctx.auth?.getUser())?.email ?? 'nobody', isGone: false }
    ctx.signal.addEventListener('abort', () => (visit.isGone = true))
    visits.push(visit)
    await gates.get(what)?.opened
    return visit
  }
  const router = createRouter()
    .use('/*', createSessionMiddleware(auth, { optional: true }))
    .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
    .on('GET /api/items/:id', async (ctx) => {
      const { who } = await enter(ctx, `${ctx.query['suspense'] === 'true' ? 'suspended ' : ''}item ${ctx.params.id}`)
      return `item ${ctx.params.id} of ${who}`
    })
    .on('POST /api/save', async (ctx, input) => {
      const { what, who } = await enter(ctx, (input as { text: string }).text)
      return `${what} of ${who}`
    })
    .on('POST /api/talk', async function* talk(ctx) {
      const visit = await enter(ctx, 'talk')
      for (let word = 1; !visit.isGone; word++) {
        yield `word ${word} of ${visit.who}`
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    .socket('/ws/team', teams(guests))
  const app = createApp({ router, log: createLog({ level: 'error' }), rateLimit: false })
  const server = await serve(app, { port: 0, signals: false, survive: false, fallback: show })
  return {
    url: server.url,
    visits,
    guests,
    hold(what) {
      const gate = createGate()
      gates.set(what, gate)
      void gate.opened.then(() => gates.delete(what))
      return gate
    },
    release: () => gates.forEach((gate) => gate.open()),
    async close() {
      await server.close({ grace: 100 })
      await auth.close()
    },
  }
}

/** A socket that publishes each message to the team, with the sender. */
function teams(guests: Set<string>): ReturnType<typeof createSocket> {
  return createSocket({
    async open(peer) {
      const who = (await peer.auth?.getUser())?.email ?? 'nobody'
      const guest = `${who} ${peer.query['team']}`
      guests.add(guest)
      await peer.join(`team ${peer.query['team']}`)
      peer.send(`hello of ${who}`)
      return { who, guest }
    },
    message: (peer, text) => peer.send(`${text as string} of ${peer.data.who}`),
    close: (peer) => void guests.delete(peer.data.guest),
  })
}
