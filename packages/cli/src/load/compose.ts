import { relative } from 'node:path'
import {
  ApiError,
  createAgent,
  createApp,
  createRouter,
  type Agent,
  type App,
  type Engine,
  type Log,
  type Router,
  type Session,
} from '@sdk/server'
import type { SocketHub } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import { actingAs, sessionIn } from './impersonation.ts'
import { isProblem, type Loaded } from './project-loader.ts'
import type { AppSettings } from '../config.ts'
import type { Project } from '../discover.ts'
import { awaitArrivals, createArrival, isLate, type Arrival, type LateAgent } from './lazy-agent.ts'
import { toProblem } from '../problem.ts'

/** What every app of a project shares. */
export interface Shared extends AppSettings {
  readonly engine: Engine
  readonly log: Log
  /** Sockets that stay open over many apps. @default those of the app */
  readonly sockets?: SocketHub
  /** The secret that lets a call act as a user, in development. @default nobody may */
  readonly pass?: string
}

/** An app of all parts that load; the routes of the others answer with their problem. */
export interface Composed {
  readonly project: Project
  readonly app: App
  readonly problems: readonly Problem[]
  /** Finds the app's users; null where it has no sign-in. */
  readonly session: Session | null
  /** Where the types of the API's routes are. */
  readonly pointers: Loaded['pointers']
}

/** Composes an app of what was loaded. */
export function compose(project: Project, loaded: Loaded, { pass, ...shared }: Shared): Composed {
  const arrivals = loaded.agents.filter(isLate).flatMap(toArrival)
  const here = loaded.agents.flatMap((agent) => (isLate(agent) ? [] : toAgents(agent)))
  const composed = composeApp(project, { ...loaded, agents: [...here, ...arrivals.map(({ agent }) => agent)] }, shared)
  const problems = [...loaded.agents.filter(isProblem), ...composed.problems]
  const app = awaitArrivals(composed.app, arrivals)
  const session = isProblem(loaded.router) ? null : sessionIn(loaded.router)
  return { ...composed, app: pass === undefined ? app : actingAs(app, { pass, session }), problems, session }
}

/** What was loaded, with a stand-in for each agent that was not. */
interface Parts extends Loaded {
  readonly agents: readonly Agent[]
}

function composeApp(
  project: Project,
  { agents, router, pointers }: Parts,
  shared: Omit<Shared, 'pass'>,
): Omit<Composed, 'session'> {
  const known = { project, pointers }
  if (isProblem(router)) return { ...known, app: withoutApi(agents, router, shared), problems: [router] }
  try {
    const app = createApp({ agents, router: router ?? createRouter(), isDevelopment: true, ...shared })
    return { ...known, app, problems: unreachable(app, project) }
  } catch (error) {
    // Each part loads, but they do not fit together: a route is defined twice, for example.
    const problem = toProblem(error, { root: project.root, file: project.api ?? project.root, route: '/api/*' })
    return { ...known, app: withoutApi(agents, problem, shared), problems: [problem] }
  }
}

/** Problems for the routes that nobody can call, as the web app answers at their paths. */
function unreachable({ routes, owns }: App, { root, api }: Project): Problem[] {
  return routes.flatMap(({ route, kind }) => {
    const [method = '', path = '/'] = route.split(' ')
    if (kind === 'socket' || owns(path)) return []
    const message = `${route} is never called: all but /api, /agent and /ws belongs to the web app. Name it ${method} /api${path}`
    return [{ route, message, file: relative(root, api ?? root), place: null, frame: '' }]
  })
}

/** An app whose API answers with a problem. It does not take over the sockets: their last handlers stay in place. */
function withoutApi(agents: readonly Agent[], problem: Problem, shared: Omit<Shared, 'pass'>): App {
  const { sockets: _, ...own } = shared
  const router: Router = createRouter()
  router.on('GET|POST|PUT|PATCH|DELETE /api/*', () => toResponse(problem))
  return {
    ...createApp({ agents, router, isDevelopment: true, ...own }),
    admit: () => Promise.reject(toApiError(problem)),
  }
}

function toAgents(loaded: Agent | Problem): Agent[] {
  return isProblem(loaded) ? ifNamed(() => standInAgent(loaded)) : [loaded]
}

function toArrival(late: LateAgent): Arrival[] {
  return ifNamed(() => createArrival(late, (loaded) => (isProblem(loaded) ? standInAgent(loaded) : loaded)))
}

function ifNamed<T>(create: () => T): T[] {
  try {
    return [create()]
  } catch {
    return [] // its name is invalid, so that there can be no route for it
  }
}

function standInAgent(problem: Problem): Agent {
  const name = problem.route.replace('POST /agent/', '')
  return createAgent(name, { description: 'Does not load', handler: () => toResponse(problem) })
}

/** A response instead of a throw: the problem is in the terminal already and needs no log line for every call. */
function toResponse(problem: Problem): Response {
  const { status, code, message, details } = toApiError(problem)
  return Response.json({ error: { code, message, details } }, { status })
}

function toApiError({ message, file, place, frame }: Problem): ApiError {
  const where = place === null ? file : `${file}:${place.line}:${place.column}`
  return new ApiError('LOAD_FAILED', `${where} does not load: ${message}`, {
    status: 500,
    details: [{ code: 'LOAD_FAILED', message, file, ...place, frame }],
  })
}
