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
  type ObserveRun,
  type Router,
  type RunStore,
  type SessionProvider,
} from '@sdk/server'
import type { SocketHub } from '@sdk/server/node'
import type { WorkbenchSchedule, Problem } from '@sdk/workbench'
import { allowImpersonation, findSessionProvider } from './impersonation.ts'
import { isProblem, type ProjectModules } from './project-loader.ts'
import type { AppSettings } from '../config.ts'
import type { Project } from '../discover.ts'
import {
  loadAgentsOnCall,
  createLazyAgentProxy,
  isLazyAgent,
  type LazyAgentProxy,
  type LazyAgent,
} from './lazy-agent.ts'
import { toLoadProblem, toLocationText } from '../problem.ts'

/** The environment that a project's apps share across reloads. */
export interface AppEnvironment extends AppSettings {
  readonly engine: Engine
  readonly log: Log
  /** The store for the runs of durable agents. @default in memory */
  readonly runs?: RunStore
  /** The socket hub, which keeps sockets open across reloads. @default the app's own hub */
  readonly sockets?: SocketHub
  /** The secret that allows calls to act as a user during development. @default not allowed */
  readonly pass?: string
  /** Observes the runs of durable agents that no request observes. @default not observed */
  readonly '~observeRun'?: ObserveRun
}

/** An app composed of all loaded parts. The routes of a part that failed to load respond with its problem. */
export interface ComposedApp {
  readonly project: Project
  readonly app: App
  readonly problems: readonly Problem[]
  /** The schedules of durable agents. */
  readonly schedules: readonly WorkbenchSchedule[]
  /** The app's session provider, or null if the app does not use auth. */
  readonly sessionProvider: SessionProvider | null
  /** The project's router, or null if there is none or it failed to load. */
  readonly router: Router | null
  /** The source location of each route's types. */
  readonly pointers: ProjectModules['pointers']
}

/** Composes an app from the loaded modules. */
export function compose(
  project: Project,
  loaded: ProjectModules,
  { pass, ...environment }: AppEnvironment,
): ComposedApp {
  const { formatError = null } = loaded
  const shared = { ...environment, ...(formatError !== null && !isProblem(formatError) && { formatError }) }
  const proxies = loaded.agents.filter(isLazyAgent).flatMap(toProxies)
  const loadedAgents = loaded.agents.flatMap((agent) => (isLazyAgent(agent) ? [] : toAgents(agent)))
  const agents = [...loadedAgents, ...proxies.map(({ agent }) => agent)]
  const composed = composeApp(project, { ...loaded, agents }, shared)
  const problems = [...[...loaded.agents, formatError].filter(isProblem), ...composed.problems]
  const app = loadAgentsOnCall(composed.app, proxies)
  const sessionProvider = isProblem(loaded.router) ? null : findSessionProvider(loaded.router)
  return {
    ...composed,
    app: pass === undefined ? app : allowImpersonation(app, { pass, session: sessionProvider }),
    problems,
    schedules: agents.flatMap(toSchedulesOf),
    sessionProvider,
    router: isProblem(loaded.router) ? null : loaded.router,
  }
}

/** Composes the app. `agents` includes a placeholder for each agent that failed to load. */
function composeApp(
  project: Project,
  { agents, router, pointers }: ProjectModules & { agents: readonly Agent[] },
  shared: Omit<AppEnvironment, 'pass'>,
): Omit<ComposedApp, 'schedules' | 'sessionProvider' | 'router'> {
  const common = { project, pointers }
  if (isProblem(router)) return { ...common, app: createAppWithoutApi(agents, router, shared), problems: [router] }
  try {
    const app = createApp({ agents, router: router ?? createRouter(), isDevelopment: true, ...shared })
    return { ...common, app, problems: findUnreachableRoutes(app, project) }
  } catch (error) {
    // Each part has loaded, but the parts conflict: for example, a route is defined twice.
    const problem = toLoadProblem(error, { root: project.root, file: project.api ?? project.root, route: '/api/*' })
    return { ...common, app: createAppWithoutApi(agents, problem, shared), problems: [problem] }
  }
}

/** Returns a problem for each route that cannot be called because the web app handles its path. */
function findUnreachableRoutes({ routes, owns }: App, { root, api }: Project): Problem[] {
  return routes.flatMap(({ route, kind }) => {
    const [method = '', path = '/'] = route.split(' ')
    if (kind === 'socket' || owns(path)) return []
    const message = `${route} is unreachable: paths outside /api, /agent and /ws belong to the web app. Rename it to ${method} /api${path}`
    return [{ route, message, file: relative(root, api ?? root), place: null, frame: '' }]
  })
}

/** Creates an app whose API responds with a problem. Open sockets keep their previous handlers. */
function createAppWithoutApi(agents: readonly Agent[], problem: Problem, shared: Omit<AppEnvironment, 'pass'>): App {
  const { sockets: _, ...own } = shared
  const router: Router = createRouter()
  router.on('GET|POST|PUT|PATCH|DELETE /api/*', () => toProblemResponse(problem))
  return {
    ...createApp({ agents, router, isDevelopment: true, ...own }),
    admit: () => Promise.reject(toProblemError(problem)),
  }
}

/** Returns the schedules of an agent. */
function toSchedulesOf({ name: agent, schedules = [] }: Agent): WorkbenchSchedule[] {
  return schedules.map(({ name, next }) => ({ agent, name, next }))
}

function toAgents(loaded: Agent | Problem): Agent[] {
  return isProblem(loaded) ? ifNameIsValid(() => createFailingAgent(loaded)) : [loaded]
}

function toProxies(lazy: LazyAgent): LazyAgentProxy[] {
  return ifNameIsValid(() =>
    createLazyAgentProxy(lazy, (loaded) => (isProblem(loaded) ? createFailingAgent(loaded) : loaded)),
  )
}

function ifNameIsValid<T>(create: () => T): T[] {
  try {
    return [create()]
  } catch {
    return [] // the agent's name is invalid, so it cannot have a route
  }
}

function createFailingAgent(problem: Problem): Agent {
  const name = problem.route.replace('POST /agent/', '')
  return createAgent(name, { description: 'Failed to load', handler: () => toProblemResponse(problem) })
}

/**
 * Returns a response instead of throwing, because the problem has already been printed and must not be logged for every
 * call.
 */
function toProblemResponse(problem: Problem): Response {
  const { status, code, message, details } = toProblemError(problem)
  return Response.json({ error: { code, message, details } }, { status })
}

function toProblemError({ message, file, place, frame }: Problem): ApiError {
  return new ApiError('LOAD_FAILED', `${toLocationText({ file, place })} failed to load: ${message}`, {
    status: 500,
    details: [{ code: 'LOAD_FAILED', message, file, ...place, frame }],
  })
}
