import { createApp, createRouter, type App, type Log, type Middleware, type Session } from '@sdk/server'
import type { Manifest } from '../manifest.ts'
import { addRoute } from './api-route.ts'
import { fields, isText } from './fields.ts'
import { addRunsRoutes, addSettingsRoutes, type RunsParts } from './runs-routes.ts'
import { addUsersRoutes } from './users-routes.ts'

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
  const router = createRouter().use('/_workbench/api/*', keepNowhere)
  addRoute(router, 'GET /_workbench/api/manifest', { handler: () => manifest() })
  if (addAgent !== null)
    addRoute(router, 'POST /_workbench/api/agents', {
      input: AGENT,
      handler: (_, { name }) => ({ files: addAgent(name) }),
    })
  addRunsRoutes(router, runs)
  addSettingsRoutes(router, runs)
  addUsersRoutes(router, session)
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
