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
  type SessionProvider,
} from '@sdk/server'
import type { SocketHub } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
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

/** Everything that the apps of a project share. */
export interface AppEnvironment extends AppSettings {
  readonly engine: Engine
  readonly log: Log
  /** Sockets that stay open over many apps. @default those of the app */
  readonly sockets?: SocketHub
  /** The secret that lets a call act as a user, in development. @default nobody may */
  readonly pass?: string
}

/** An app of all parts that load; the routes of the others answer with their problem. */
export interface ComposedApp {
  readonly project: Project
  readonly app: App
  readonly problems: readonly Problem[]
  /** Finds the app's users; null where it has no sign-in. */
  readonly sessionProvider: SessionProvider | null
  /** Where the types of the API's routes are. */
  readonly pointers: ProjectModules['pointers']
}

/** Composes an app of what was loaded. */
export function compose(project: Project, loaded: ProjectModules, { pass, ...shared }: AppEnvironment): ComposedApp {
  const proxies = loaded.agents.filter(isLazyAgent).flatMap(toProxies)
  const loadedAgents = loaded.agents.flatMap((agent) => (isLazyAgent(agent) ? [] : toAgents(agent)))
  const agents = [...loadedAgents, ...proxies.map(({ agent }) => agent)]
  const composed = composeApp(project, { ...loaded, agents }, shared)
  const problems = [...loaded.agents.filter(isProblem), ...composed.problems]
  const app = loadAgentsOnCall(composed.app, proxies)
  const sessionProvider = isProblem(loaded.router) ? null : findSessionProvider(loaded.router)
  return {
    ...composed,
    app: pass === undefined ? app : allowImpersonation(app, { pass, session: sessionProvider }),
    problems,
    sessionProvider,
  }
}

/** Composes the loaded modules, with a stand-in for each agent that did not load. */
function composeApp(
  project: Project,
  { agents, router, pointers }: ProjectModules & { agents: readonly Agent[] },
  shared: Omit<AppEnvironment, 'pass'>,
): Omit<ComposedApp, 'sessionProvider'> {
  const common = { project, pointers }
  if (isProblem(router)) return { ...common, app: createAppWithoutApi(agents, router, shared), problems: [router] }
  try {
    const app = createApp({ agents, router: router ?? createRouter(), isDevelopment: true, ...shared })
    return { ...common, app, problems: findUnreachableRoutes(app, project) }
  } catch (error) {
    // Each part loads, but they do not fit together: a route is defined twice, for example.
    const problem = toLoadProblem(error, { root: project.root, file: project.api ?? project.root, route: '/api/*' })
    return { ...common, app: createAppWithoutApi(agents, problem, shared), problems: [problem] }
  }
}

/** Problems for the routes that nobody can call, as the web app answers at their paths. */
function findUnreachableRoutes({ routes, owns }: App, { root, api }: Project): Problem[] {
  return routes.flatMap(({ route, kind }) => {
    const [method = '', path = '/'] = route.split(' ')
    if (kind === 'socket' || owns(path)) return []
    const message = `${route} is never called: all but /api, /agent and /ws belongs to the web app. Name it ${method} /api${path}`
    return [{ route, message, file: relative(root, api ?? root), place: null, frame: '' }]
  })
}

/** An app whose API answers with a problem. It does not take over the sockets: their last handlers stay in place. */
function createAppWithoutApi(agents: readonly Agent[], problem: Problem, shared: Omit<AppEnvironment, 'pass'>): App {
  const { sockets: _, ...own } = shared
  const router: Router = createRouter()
  router.on('GET|POST|PUT|PATCH|DELETE /api/*', () => toProblemResponse(problem))
  return {
    ...createApp({ agents, router, isDevelopment: true, ...own }),
    admit: () => Promise.reject(toProblemError(problem)),
  }
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
    return [] // its name is invalid, so that there can be no route for it
  }
}

function createFailingAgent(problem: Problem): Agent {
  const name = problem.route.replace('POST /agent/', '')
  return createAgent(name, { description: 'Does not load', handler: () => toProblemResponse(problem) })
}

/** A response instead of a throw: the problem is in the terminal already and needs no log line for every call. */
function toProblemResponse(problem: Problem): Response {
  const { status, code, message, details } = toProblemError(problem)
  return Response.json({ error: { code, message, details } }, { status })
}

function toProblemError({ message, file, place, frame }: Problem): ApiError {
  return new ApiError('LOAD_FAILED', `${toLocationText({ file, place })} does not load: ${message}`, {
    status: 500,
    details: [{ code: 'LOAD_FAILED', message, file, ...place, frame }],
  })
}
