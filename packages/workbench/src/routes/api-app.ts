import { createApp, createRouter, type App, type Log, type Middleware, type Router, type Session } from '@sdk/server'
import type { Manifest } from '../manifest.ts'
import { fields, isText } from './fields.ts'
import { runsRouter, type RunsParts } from './runs-routes.ts'
import { usersRouter } from './users-routes.ts'

/** What the API of the workbench tells of, and does. */
export interface ApiParts extends RunsParts {
  readonly manifest: () => Manifest
  /** Who knows the app's users now; null where nobody does. */
  readonly session: () => Session | null
  /** Writes the files of a new agent and gives their paths; null where that cannot be done. */
  readonly addAgent: ((name: string) => readonly string[]) | null
  /** Hears of what went wrong in the workbench itself. */
  readonly log: Log
}

const AGENT = fields<{ name: string }>({ name: isText(64) })

/** What bodies may have, in bytes. */
const MAX_BODY = 64 * 1024

/** The API of the workbench: an app as any other, which the workbench lets its own pages call. */
export function createApiApp({ manifest, session, addAgent, log, ...runs }: ApiParts): App {
  const own: Router = createRouter()
  own.on('GET /manifest', () => manifest())
  if (addAgent !== null) own.on('POST /agents', { input: AGENT, handler: (_, { name }) => ({ files: addAgent(name) }) })
  const router = createRouter().use('/_workbench/api/*', keepNowhere)
  for (const part of [own, runsRouter(runs), usersRouter(session)]) router.mount('/_workbench/api', part)
  return createApp({ router, rateLimit: false, limits: { body: MAX_BODY }, log: quiet(log) })
}

/** What was recorded is on disk once, and in no browser's cache. */
const keepNowhere: Middleware = async (_, next) => {
  const reply = await next()
  reply.headers['cache-control'] = 'no-store'
  return reply
}

/** Its own requests are no events, its mistakes are. */
function quiet({ error }: Log): Log {
  const say = (): void => {}
  return { debug: say, info: say, warn: say, error: (message, more) => error(`workbench: ${message}`, more) }
}
