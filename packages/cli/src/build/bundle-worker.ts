import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import { build, mergeConfig, type InlineConfig, type Logger, type Plugin } from 'vite'
import { bundledFiles, createWarningLogger, withErrorLocation, type BundledFile } from './bundle.ts'
import type { ServerOptions } from './bundle-server.ts'
import type { Project } from '../discover.ts'
import { Failure } from '../failure.ts'
import { usesNodeCompat, writeWranglerConfig } from './wrangler-config.ts'
import { SERVER_ENTRY, serverEntryPlugin } from './server-entry.ts'
import { viteConfig } from '../vite-config.ts'

/** Bundles a project and all of its packages into one module for Cloudflare Workers. Returns its size. */
export async function bundleWorker(
  project: Project,
  { config: { vite, ...settings }, outDir }: ServerOptions,
): Promise<{ size: number; externals: Record<string, string> }> {
  const target = { file: project.api ?? project.agents[0]?.file ?? project.root, route: '/api/*' }
  return withErrorLocation(project.root, target, async () => {
    const config = viteConfig(project, vite)
    const databaseImporters = new Set<string>()
    const builtinImporters = new Map<string, Set<string>>()
    const output = bundledFiles(
      await build({
        ...mergeConfig({ ...config, ssr: {} }, WORKER_CONFIG),
        customLogger: createWorkerLogger(),
        plugins: [
          findDatabaseImports(databaseImporters),
          findBuiltinImports(builtinImporters),
          ...(config.plugins ?? []),
          serverEntryPlugin(project, { settings, target: 'workers' }),
        ],
        publicDir: false,
        build: {
          ssr: true,
          target: 'es2023',
          outDir,
          emptyOutDir: true,
          rolldownOptions: {
            input: SERVER_ENTRY,
            output: { entryFileNames: 'worker.js', codeSplitting: false },
            experimental: { attachDebugInfo: 'none' }, // debug comments contain absolute paths
          },
        },
      }).catch((error: unknown) => {
        assertNoDatabase(databaseImporters, project.root)
        throw error
      }),
    )
    assertNoDatabase(databaseImporters, project.root)
    if (!usesNodeCompat(project.root)) assertNoBuiltins(project, output, builtinImporters)
    const contents = output.map((file) => (file.type === 'chunk' ? file.code : file.source))
    return { size: contents.reduce((sum, one) => sum + Buffer.byteLength(one), 0), externals: {} }
  })
}

/** Selects the files of packages that are meant for Workers, and bundles all packages. */
const WORKER_CONFIG: InlineConfig = {
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { target: 'webworker', noExternal: true, resolve: { conditions: ['workerd', 'worker', 'module'] } },
}

/** Creates a logger without Vite's warnings about modules of Node, which `assertNoBuiltins` reports in one line. */
function createWorkerLogger(): Logger {
  const logger = createWarningLogger()
  return {
    ...logger,
    warn(text, options) {
      if (!text.includes('Automatically externalized node built-in module')) logger.warn(text, options)
    },
  }
}

/** Adds the project's files that import the database to `importers`. */
function findDatabaseImports(importers: Set<string>): Plugin {
  return {
    name: 'sdk:find-database-imports',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (source === '@sdk/database' && !importer.includes('/node_modules/')) importers.add(importer)
    },
  }
}

/** Adds the files that import modules of Node to `importers`. */
function findBuiltinImports(importers: Map<string, Set<string>>): Plugin {
  return {
    name: 'sdk:find-builtin-imports',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !isBuiltin(source)) return
      const name = withPrefix(source)
      importers.set(name, (importers.get(name) ?? new Set()).add(importer))
    },
  }
}

function withPrefix(builtin: string): string {
  return builtin.startsWith('node:') ? builtin : `node:${builtin}`
}

/** Throws if the project imports the database, which otherwise fails later, with an error about another package. */
function assertNoDatabase(importers: ReadonlySet<string>, root: string): void {
  if (importers.size === 0) return
  const files = Array.from(importers, (file) => relative(root, file)).toSorted()
  throw new Failure(`Cloudflare Workers cannot run @sdk/database, imported by ${files.join(', ')}`, {
    code: 'NOT_FOR_WORKERS',
    fix: 'build for Node, or keep the rows in a Store of your own and remove these imports',
  })
}

function assertNoBuiltins(
  project: Project,
  output: readonly BundledFile[],
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const imports = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []))
  const builtins = [...new Set(imports.filter((name) => isBuiltin(name)))].toSorted()
  if (builtins.length === 0) return
  writeWranglerConfig(project) // the fix edits this file
  throw new Failure(`the server imports ${builtins.join(', ')}, which Cloudflare Workers do not have`, {
    code: 'NOT_FOR_WORKERS',
    lines: builtins.map((name) => {
      const files = Array.from(importers.get(withPrefix(name)) ?? [], (file) => relative(project.root, file))
      return `${name} is imported by ${files.toSorted().slice(0, 3).join(', ')}`
    }),
    fix: 'remove these imports, or add nodejs_compat to compatibility_flags in the Wrangler configuration',
  })
}
