import { createApp, createRouter, type App, type Log, type Middleware, type SessionProvider } from '@sdk/server'
import type { Manifest } from '../manifest.ts'
import { addRoute } from './api-route.ts'
import { addDurableRoutes, type DurableDependencies } from './durable-routes.ts'
import { fields, textOf } from './fields.ts'
import { addLiveRoutes, type LiveDependencies } from './live-routes.ts'
import { addMatrixRoutes, type MatrixDependencies } from './matrix-routes.ts'
import { addRunsRoutes, addSettingsRoutes, type RunsDependencies } from './runs-routes.ts'
import { addTestRoutes } from './test-routes.ts'
import { addUsersRoutes } from './users-routes.ts'

/** Dependencies of the workbench API. */
export interface ApiDependencies extends RunsDependencies, DurableDependencies, LiveDependencies, MatrixDependencies {
  readonly manifest: () => Manifest
  /** Returns the app's session provider, or null if the app has no sign-in. */
  readonly session: () => SessionProvider | null
  /** Writes the files for a new agent and returns their paths. Null if the server cannot add agents. */
  readonly addAgent: ((name: string) => readonly string[]) | null
  readonly log: Log
}

const AGENT_INPUT = fields<{ name: string }>({ name: textOf(64) })
const MAX_BODY = 64 * 1024

/** Creates the workbench API, which is a regular app that only the workbench pages can call. */
export function createApiApp({ manifest, session, addAgent, log, ...runs }: ApiDependencies): App {
  const router = createRouter().use('/_workbench/api/*', noStore)
  addRoute(router, 'GET /_workbench/api/manifest', { handler: () => manifest() })
  if (addAgent !== null)
    addRoute(router, 'POST /_workbench/api/agents', {
      input: AGENT_INPUT,
      handler: (_, { name }) => ({ files: addAgent(name) }),
    })
  addRunsRoutes(router, runs)
  addTestRoutes(router, runs)
  addSettingsRoutes(router, runs)
  addDurableRoutes(router, runs)
  addLiveRoutes(router, runs)
  addMatrixRoutes(router, runs)
  addUsersRoutes(router, session)
  return createApp({ router, rateLimit: false, limits: { body: MAX_BODY }, log: errorsOnly(log) })
}

/** Keeps recorded data out of browser caches. */
const noStore: Middleware = async (_, next) => {
  const reply = await next()
  reply.headers['cache-control'] = 'no-store'
  return reply
}

/** Wraps a log so that only errors are logged, not the workbench's own requests. */
function errorsOnly({ error }: Log): Log {
  const say = (): void => {}
  return { debug: say, info: say, warn: say, error: (message, more) => error(`workbench: ${message}`, more) }
}
