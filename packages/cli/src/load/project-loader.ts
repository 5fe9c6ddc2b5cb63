import { setImmediate as nextTurn } from 'node:timers/promises'
import { isRouter, type Agent, type Router } from '@sdk/server'
import type { AgentSource } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import type { ViteDevServer } from 'vite'
import { assertAgent, assertRouter, type Exported } from './default-export.ts'
import type { Project } from '../discover.ts'
import { isLate, type LateAgent } from './lazy-agent.ts'
import { toProblem } from '../problem.ts'
import { findPointers, type RoutePointer } from '../route-types/route-pointers.ts'
import { createServerModules } from './server-modules.ts'

/** What the project's modules export; a `Problem` in place of each that does not load. */
export interface Loaded {
  readonly agents: readonly (Agent | Problem | LateAgent)[]
  readonly router: Router | Problem | null
  /** Where the types of the router's routes are. */
  readonly pointers: ReadonlyMap<string, RoutePointer>
}

/** What `createBackend` takes beside Vite. */
export interface BackendOptions {
  /** So many agents are loaded at once; where there are more, each is loaded late. @default all */
  readonly atOnce?: number
}

/** The project's server code, in this process. Modules stay loaded until they, or what they import, change. */
export interface Backend {
  /** Unloads the files that changed and everything that imports them, then imports what is not loaded. */
  load(project: Project, changed?: readonly string[]): Promise<Loaded>
  /** Is this file part of what was loaded? */
  has(file: string): boolean
}

/** Is it a problem, in place of what a module exports? */
export function isProblem(value: object | null): value is Problem {
  return value !== null && 'frame' in value
}

/**
 * Loads the late agents, one after the other, so that calls are answered in between. Null where there are none, or
 * where nobody wants them any more.
 */
export async function loadLate(loaded: Loaded, isWanted: () => boolean): Promise<Loaded | null> {
  if (!loaded.agents.some(isLate)) return null
  const agents: (Agent | Problem)[] = []
  for (const agent of loaded.agents) {
    agents.push(isLate(agent) ? await agent.load() : agent)
    await nextTurn()
    if (!isWanted()) return null
  }
  return { ...loaded, agents }
}

/** Runs the project's server code through Vite's module runner. */
export function createBackend(vite: ViteDevServer, { atOnce = Infinity }: BackendOptions = {}): Backend {
  const modules = createServerModules(vite)
  const inTurn = createTurns()
  let pointers: { readonly of: Exported | undefined; readonly all: Loaded['pointers'] } | undefined

  return {
    has: modules.has,
    load: (project, changed = []) =>
      inTurn(async () => {
        for (const file of changed) modules.forget(file)
        const missing = new Set(project.agents.filter(({ file }) => modules.loaded(file) === undefined))
        const load = missing.size > atOnce ? late : importAgent
        const [router, ...agents] = await Promise.all([
          project.api === null ? null : importRouter(project, project.api),
          ...project.agents.map((source) => (missing.has(source) ? load : importAgent)(project, source)),
        ])
        if ([router, ...agents].some(isProblem)) await modules.forgetFailures()
        return { agents, router, pointers: isRouter(router) ? pointersOf(router, project) : new Map() }
      }),
  }

  function late(project: Project, source: AgentSource): LateAgent {
    let loading: Promise<Agent | Problem> | undefined
    const load = async (): Promise<Agent | Problem> => {
      const agent = await importAgent(project, source)
      if (isProblem(agent)) await modules.forgetFailures()
      return agent
    }
    return { kind: 'late', name: source.name, load: () => (loading ??= inTurn(load)) }
  }

  async function importAgent({ root }: Project, source: AgentSource): Promise<Agent | Problem> {
    const { name, file } = source
    try {
      return assertAgent(await importSound(file, root), source)
    } catch (error) {
      return toProblem(error, { root, file, route: `POST /agent/${name}` })
    }
  }

  async function importRouter({ root }: Project, file: string): Promise<Router | Problem> {
    try {
      return assertRouter(await importSound(file, root))
    } catch (error) {
      return toProblem(error, { root, file, route: '/api/*' })
    }
  }

  function importSound(file: string, root: string): Exported | Promise<Exported> {
    return modules.loaded(file) ?? modules.import(file, root)
  }

  /** Cached until the API, or something that it imports, changes. */
  function pointersOf(router: Router, { root, api }: Project): Loaded['pointers'] {
    const of = modules.loaded(api ?? '')
    if (pointers === undefined || of === undefined || pointers.of !== of)
      pointers = { of, all: findPointers(router, modules.reachedFrom(api ?? '', root)) }
    return pointers.all
  }
}

/** Runs one work at a time: a module that is unloaded while another imports it would be used with its old code. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done
    return done
  }
}
