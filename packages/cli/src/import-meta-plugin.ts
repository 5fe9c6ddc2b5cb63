import { isRunnableDevEnvironment, type Plugin } from 'vite'
import { createDefaultImportMeta, createNodeImportMeta, type ModuleRunnerImportMeta } from 'vite/module-runner'

/**
 * A plugin that prepares `import.meta.resolve` of server modules on its first call. Vite prepares it for each module, for
 * which Node 20 starts a thread that resolves all later imports of the process.
 */
export const importMetaPlugin: Plugin = {
  name: 'sdk:import-meta',
  perEnvironmentStartEndDuringDev: true,
  buildStart() {
    const { environment } = this
    if (isRunnableDevEnvironment(environment)) environment.runner.options.createImportMeta = createImportMeta
  },
}

function createImportMeta(path: string): ModuleRunnerImportMeta {
  return {
    ...createDefaultImportMeta(path),
    main: false,
    resolve: (id, parent) => createNodeImportMeta(path).resolve(id, parent),
  }
}
