import { isRunnableDevEnvironment, type ViteDevServer } from 'vite'
import type { EvaluatedModuleNode } from 'vite/module-runner'
import type { ModuleExports } from './default-export.ts'
import { assertExportsExist } from './missing-export.ts'
import type { EvaluatedModule } from '../route-types/route-pointers.ts'

/** The project's server modules, which run in this process. */
export interface ServerModules {
  import(file: string, root: string): Promise<ModuleExports>
  /** Returns the exports of a successfully imported file, or undefined once it or one of its imports has changed. */
  loaded(file: string): ModuleExports | undefined
  /** Returns whether a file is one of these modules, even if it does not compile. */
  has(file: string): boolean
  /** Returns the exports of a file and all its imports, excluding installed packages. */
  reachedFrom(file: string, root: string): EvaluatedModule[]
  /** Unloads a changed file and everything that imports it. */
  unload(file: string): void
  /** Unloads the modules that failed, so that the next import loads them again. */
  unloadFailures(): Promise<void>
}

/** Creates the server modules, which run in Vite's module runner. */
export function createServerModules(vite: ViteDevServer): ServerModules {
  const { ssr } = vite.environments
  if (!isRunnableDevEnvironment(ssr)) throw new TypeError('the Vite environment "ssr" cannot run modules')
  const { runner, moduleGraph } = ssr
  const { evaluatedModules } = runner
  /** The exports of all checked modules. A module that runs again exports a new object, which is not in this set. */
  const checked = new WeakSet<object>()
  const modulesOf = (ids: Iterable<string>): EvaluatedModuleNode[] =>
    Array.from(ids).flatMap((id) => evaluatedModules.getModuleById(id) ?? [])
  const walk = (file: string, next: (module: EvaluatedModuleNode) => Iterable<string>): EvaluatedModuleNode[] => {
    const seen = new Set(evaluatedModules.getModulesByFile(file))
    for (const module of seen) for (const one of modulesOf(next(module))) seen.add(one)
    return [...seen]
  }

  return {
    async import(file, root) {
      const exports = (await runner.import(file)) as ModuleExports
      assertExportsExist(file, evaluatedModules, root)
      checked.add(exports)
      return exports
    },
    loaded(file) {
      const [module] = evaluatedModules.getModulesByFile(file) ?? []
      return isExportsObject(module?.exports) && checked.has(module.exports) ? module.exports : undefined
    },
    // Unlike the runner, the compiler's graph also contains files that failed to compile and therefore never ran.
    has: (file) => moduleGraph.getModulesByFile(file) !== undefined,
    reachedFrom: (from, root) =>
      walk(from, ({ imports }) => imports).flatMap(({ file, exports }) =>
        file.startsWith(root) && !file.includes('/node_modules/') && isExportsObject(exports) ? { file, exports } : [],
      ),
    unload(file) {
      // A concurrent load may have compiled the file before its new content was written.
      for (const compiled of moduleGraph.getModulesByFile(file) ?? []) moduleGraph.invalidateModule(compiled)
      for (const module of walk(file, ({ importers }) => importers)) evaluatedModules.invalidateModule(module)
    },
    async unloadFailures() {
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

function isExportsObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function hasFailed(module: EvaluatedModuleNode): Promise<boolean> {
  try {
    await module.promise
    return false
  } catch {
    return true // the failed import has already reported the error
  }
}
