import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRouter, type Agent, type FormatError, type Router } from '@sdk/server'
import type { AgentSource } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import type { ViteDevServer } from 'vite'
import { getAgentExport, getFormatErrorExport, getRouterExport, type ModuleExports } from './default-export.ts'
import type { Project } from '../discover.ts'
import { isLazyAgent, type LazyAgent } from './lazy-agent.ts'
import { toLoadProblem } from '../problem.ts'
import { mayBeDurable } from '../run-store.ts'
import { findRoutePointers, type RoutePointer } from '../route-types/route-pointers.ts'
import { createServerModules } from './server-modules.ts'

/** The exports of the project's modules, with a `Problem` for each module that failed to load. */
export interface ProjectModules {
  readonly agents: readonly (Agent | Problem | LazyAgent)[]
  readonly router: Router | Problem | null
  /** The function that formats errors. @default null */
  readonly formatError?: FormatError | Problem | null
  /** The source location of each route's types. */
  readonly pointers: ReadonlyMap<string, RoutePointer>
}

/** A loader that runs server code in this process. Modules remain loaded until they or their imports change. */
export interface ProjectLoader {
  /** Unloads the changed files and everything that imports them, then imports all modules that are not loaded. */
  load(project: Project, changed?: readonly string[]): Promise<ProjectModules>
  /** Returns whether a file is part of the loaded modules. */
  has(file: string): boolean
}

/** Returns whether a value is a problem instead of a module's exports. */
export function isProblem(value: object | null): value is Problem {
  return value !== null && 'frame' in value
}

/**
 * Loads the lazy agents one at a time, so that calls can be handled in between. Returns null if there are no lazy
 * agents, or if a newer load has started.
 */
export async function loadLazyAgents(loaded: ProjectModules, isCurrent: () => boolean): Promise<ProjectModules | null> {
  if (!loaded.agents.some(isLazyAgent)) return null
  const agents: (Agent | Problem)[] = []
  for (const agent of loaded.agents) {
    agents.push(isLazyAgent(agent) ? await agent.load() : agent)
    await nextTurn()
    if (!isCurrent()) return null
  }
  return { ...loaded, agents }
}

/** Options for `createProjectLoader`. */
export interface ProjectLoaderOptions {
  /** The maximum number of agents to load eagerly. If there are more, all are loaded on demand. @default Infinity */
  readonly eagerLimit?: number
  /** The `formatError` setting in `sdk.config.ts`. @default not set */
  readonly formatError?: string | undefined
}

/** Creates a loader that runs the project's server code in Vite's module runner. */
export function createProjectLoader(vite: ViteDevServer, options: ProjectLoaderOptions = {}): ProjectLoader {
  const { eagerLimit = Infinity, formatError: formatErrorPath } = options
  const modules = createServerModules(vite)
  const runInOrder = createSerialQueue()
  let pointers: { readonly of: ModuleExports | undefined; readonly all: ProjectModules['pointers'] } | undefined

  return {
    has: modules.has,
    load: (project, changed = []) =>
      runInOrder(async () => {
        for (const file of changed) modules.unload(file)
        const missing = new Set(project.agents.filter(({ file }) => modules.loaded(file) === undefined))
        const load = missing.size > eagerLimit ? toLazyAgent : importAgent
        const [router, formatError, ...agents] = await Promise.all([
          project.api === null ? null : importPart(project, { file: project.api, route: '/api/*' }, getRouterExport),
          importFormatError(project),
          ...project.agents.map((source) =>
            (missing.has(source) && !mayBeDurable(source.file) ? load : importAgent)(project, source),
          ),
        ])
        if ([router, formatError, ...agents].some(isProblem)) await modules.unloadFailures()
        const found = isRouter(router) ? getPointers(router, project) : new Map()
        return { agents, router, formatError, pointers: found }
      }),
  }

  function toLazyAgent(project: Project, source: AgentSource): LazyAgent {
    let loading: Promise<Agent | Problem> | undefined
    const load = async (): Promise<Agent | Problem> => {
      const agent = await importAgent(project, source)
      if (isProblem(agent)) await modules.unloadFailures()
      return agent
    }
    return { kind: 'lazy', name: source.name, load: () => (loading ??= runInOrder(load)) }
  }

  function importAgent(project: Project, source: AgentSource): Promise<Agent | Problem> {
    const part = { file: source.file, route: `POST /agent/${source.name}` }
    return importPart(project, part, (exported) => getAgentExport(exported, source))
  }

  async function importFormatError(project: Project): Promise<FormatError | Problem | null> {
    if (formatErrorPath === undefined) return null
    const part = { file: resolve(project.root, formatErrorPath), route: 'formatError' }
    return importPart(project, part, getFormatErrorExport)
  }

  async function importPart<T>(
    { root }: Project,
    { file, route }: { file: string; route: string },
    read: (exported: ModuleExports) => T,
  ): Promise<T | Problem> {
    try {
      return read(modules.loaded(file) ?? (await modules.import(file, root)))
    } catch (error) {
      return toLoadProblem(error, { root, file, route })
    }
  }

  /** Returns the route pointers, which are cached until the API or one of its imports changes. */
  function getPointers(router: Router, { root, api }: Project): ProjectModules['pointers'] {
    const of = modules.loaded(api ?? '')
    if (pointers === undefined || of === undefined || pointers.of !== of)
      pointers = { of, all: findRoutePointers(router, modules.reachedFrom(api ?? '', root)) }
    return pointers.all
  }
}

/** Creates a queue that runs one task at a time: a module that is unloaded during an import would run its old code. */
function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
