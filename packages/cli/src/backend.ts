import { isAgent, isRouter, type Agent, type Router } from '@sdk/server'
import { isRunnableDevEnvironment, type RunnableDevEnvironment, type ViteDevServer } from 'vite'
import type { EvaluatedModuleNode } from 'vite/module-runner'
import type { Problem } from '@sdk/workbench'
import type { AgentSource } from '@sdk/server/node'
import type { Project } from './discover.ts'
import { assertExports } from './missing-export.ts'
import { toProblem } from './problem.ts'
import { findPointers, type RoutePointer, type RunModule } from './route-pointers.ts'

/** What the project's modules export, and which of them could not. */
export interface Loaded {
  readonly agents: readonly (Agent | Problem)[]
  readonly router: Router | Problem | null
  /** Where the types of the router's routes are. */
  readonly pointers: ReadonlyMap<string, RoutePointer>
}

/** The project's server code, in this process. Modules stay loaded until they, or what they import, change. */
export interface Backend {
  /** Imports what is not loaded. */
  load(project: Project): Promise<Loaded>
  /** Is this file part of what was loaded? */
  has(file: string): boolean
  /** Unloads a changed file and everything that imports it. */
  forget(file: string): void
}

/** Is it the problem that stands in for a module? */
export function isProblem(value: Agent | Router | Problem | null): value is Problem {
  return value !== null && 'frame' in value
}

/** Runs the project's server code through Vite's module runner. */
export function createBackend(vite: ViteDevServer): Backend {
  const environment = runnable(vite)
  const { evaluatedModules } = environment.runner

  return {
    async load(project) {
      const [router, ...agents] = await Promise.all([
        project.api === null ? null : importRouter(project, project.api),
        ...project.agents.map((source) => importAgent(project, source)),
      ])
      await forgetFailures()
      const modules = ownModules(evaluatedModules.idToModuleMap.values(), project.root)
      return { agents, router, pointers: isRouter(router) ? findPointers(router, modules) : new Map() }
    },
    // Asked of the compiler: it also knows files that did not compile and so were never run.
    has: (file) => environment.moduleGraph.getModulesByFile(file) !== undefined,
    forget(file) {
      const seen = new Set<EvaluatedModuleNode>()
      for (const module of evaluatedModules.getModulesByFile(file) ?? []) forgetUpwards(module, seen)
    },
  }

  async function importAgent(project: Project, source: AgentSource): Promise<Agent | Problem> {
    const broken = { root: project.root, file: source.file, route: `POST /agent/${source.name}` }
    try {
      return assertAgent(await importDefault(source.file, project.root), source)
    } catch (error) {
      return toProblem(error, broken)
    }
  }

  async function importRouter(project: Project, file: string): Promise<Router | Problem> {
    try {
      return assertRouter(await importDefault(file, project.root))
    } catch (error) {
      return toProblem(error, { root: project.root, file, route: '/api/*' })
    }
  }

  async function importDefault(file: string, root: string): Promise<Exported> {
    const module: unknown = await environment.runner.import(file)
    assertExports(file, evaluatedModules, root)
    return module as Exported
  }

  /** The runner remembers a module that failed as failed; we want it tried again. */
  async function forgetFailures(): Promise<void> {
    for (const module of evaluatedModules.idToModuleMap.values()) {
      if (!(await hasFailed(module))) continue
      evaluatedModules.invalidateModule(module)
      const compiled = environment.moduleGraph.getModuleById(module.id)
      if (compiled !== undefined) environment.moduleGraph.invalidateModule(compiled)
    }
  }

  function forgetUpwards(module: EvaluatedModuleNode, seen: Set<EvaluatedModuleNode>): void {
    if (seen.has(module)) return
    seen.add(module)
    evaluatedModules.invalidateModule(module)
    for (const id of module.importers) {
      const importer = evaluatedModules.getModuleById(id)
      if (importer !== undefined) forgetUpwards(importer, seen)
    }
  }
}

function runnable(vite: ViteDevServer): RunnableDevEnvironment {
  const { ssr } = vite.environments
  if (!isRunnableDevEnvironment(ssr)) throw new TypeError('the environment "ssr" of Vite cannot run modules')
  return ssr
}

/** What is installed is left out: nobody points into it. */
function ownModules(all: Iterable<EvaluatedModuleNode>, root: string): RunModule[] {
  return Array.from(all).flatMap(({ file, exports }) =>
    file.startsWith(root) && !file.includes('/node_modules/') && isObject(exports) ? { file, exports } : [],
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function hasFailed(module: EvaluatedModuleNode): Promise<boolean> {
  try {
    await module.promise
    return false
  } catch {
    return true // reported by the import that met it
  }
}

/** What a module exports. */
interface Exported {
  readonly default?: unknown
}

function assertAgent(exported: Exported, { name, file }: AgentSource): Agent {
  const value = exported.default
  if (!isAgent(value)) {
    throw new TypeError(
      `${isNot(exported, 'an agent')}: write export default createAgent('${name}', { handler })${faceHint(file)}`,
    )
  }
  if (value.name !== name) {
    throw new TypeError(
      `the folder is named "${name}" and its agent "${value.name}": give them one name, for an agent is called by it, as POST /agent/${name}`,
    )
  }
  return value
}

function assertRouter(exported: Exported): Router {
  if (isRouter(exported.default)) return exported.default
  throw new TypeError(`${isNot(exported, 'a router')}: write export default createRouter().on(…)`)
}

function isNot(exported: Exported, wanted: string): string {
  if (exported.default !== undefined) return `the default export is ${kindOf(exported.default)}, and not ${wanted}`
  const names = Object.keys(exported)
  return `there is no default export${names.length === 0 ? '' : `, only ${names.join(', ')}`}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  const type = Array.isArray(value) ? 'array' : isAgent(value) ? 'agent' : isRouter(value) ? 'router' : typeof value
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** The public face of an agent may pass on what another file defines. */
function faceHint(file: string): string {
  return file.endsWith('index.ts') ? ", or export { default } from './agent.ts'" : ''
}
