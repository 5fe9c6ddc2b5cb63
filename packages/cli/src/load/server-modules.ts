import { isRunnableDevEnvironment, type RunnableDevEnvironment, type ViteDevServer } from 'vite'
import type { EvaluatedModuleNode } from 'vite/module-runner'
import type { Exported } from './default-export.ts'
import { assertExports } from './missing-export.ts'
import type { RunModule } from '../route-types/route-pointers.ts'

/** The modules of the project's server, which run in this process. */
export interface ServerModules {
  import(file: string, root: string): Promise<Exported>
  /** What a file exports, if it was imported without an error; undefined once it, or what it imports, has changed. */
  loaded(file: string): Exported | undefined
  /** Is this file one of them? True also for one that does not compile. */
  has(file: string): boolean
  /** What a file, and all that it imports, export; without installed packages. */
  reachedFrom(file: string, root: string): RunModule[]
  /** Unloads a changed file and everything that imports it. */
  forget(file: string): void
  /** Unloads the modules that failed, so that the next import tries again. */
  forgetFailures(): Promise<void>
}

/** Runs modules through Vite's module runner. */
export function createServerModules(vite: ViteDevServer): ServerModules {
  const environment = runnable(vite)
  const { runner, moduleGraph } = environment
  const { evaluatedModules } = runner
  /** The exports of modules that were checked. A module that runs again exports a new object, which is not in here. */
  const sound = new WeakSet<object>()
  const named = (ids: Iterable<string>): EvaluatedModuleNode[] =>
    Array.from(ids).flatMap((id) => evaluatedModules.getModuleById(id) ?? [])
  const walk = (file: string, next: (module: EvaluatedModuleNode) => Iterable<string>): EvaluatedModuleNode[] => {
    const seen = new Set(evaluatedModules.getModulesByFile(file))
    for (const module of seen) for (const one of named(next(module))) seen.add(one)
    return [...seen]
  }

  return {
    async import(file, root) {
      const exports = (await runner.import(file)) as Exported
      assertExports(file, evaluatedModules, root)
      sound.add(exports)
      return exports
    },
    loaded(file) {
      const [module] = evaluatedModules.getModulesByFile(file) ?? []
      return isObject(module?.exports) && sound.has(module.exports) ? module.exports : undefined
    },
    // The compiler's graph also has files that did not compile, and so never ran.
    has: (file) => moduleGraph.getModulesByFile(file) !== undefined,
    reachedFrom: (file, root) =>
      ownModules(
        walk(file, ({ imports }) => imports),
        root,
      ),
    forget(file) {
      // A load that was under way may have compiled the file before its new content was written.
      for (const compiled of moduleGraph.getModulesByFile(file) ?? []) moduleGraph.invalidateModule(compiled)
      for (const module of walk(file, ({ importers }) => importers)) evaluatedModules.invalidateModule(module)
    },
    async forgetFailures() {
      // The runner caches failures.
      for (const module of evaluatedModules.idToModuleMap.values()) {
        if (!(await hasFailed(module))) continue
        evaluatedModules.invalidateModule(module)
        const compiled = moduleGraph.getModuleById(module.id)
        if (compiled !== undefined) moduleGraph.invalidateModule(compiled)
      }
    },
  }
}

function runnable(vite: ViteDevServer): RunnableDevEnvironment {
  const { ssr } = vite.environments
  if (!isRunnableDevEnvironment(ssr)) throw new TypeError('the environment "ssr" of Vite cannot run modules')
  return ssr
}

function ownModules(all: readonly EvaluatedModuleNode[], root: string): RunModule[] {
  return all.flatMap(({ file, exports }) =>
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
    return true // the import that failed has reported it
  }
}
