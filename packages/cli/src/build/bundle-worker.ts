import { isBuiltin } from 'node:module'
import { build, mergeConfig, type InlineConfig } from 'vite'
import { bundledFiles, createWarningLogger, withErrorLocation, type BundledFile } from './bundle.ts'
import type { ServerOptions } from './bundle-server.ts'
import type { Project } from '../discover.ts'
import { Failure } from '../failure.ts'
import { usesNodeCompat } from './wrangler-config.ts'
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
    const output = bundledFiles(
      await build({
        ...mergeConfig({ ...config, ssr: {} }, WORKER_CONFIG),
        customLogger: createWarningLogger(),
        plugins: [...(config.plugins ?? []), serverEntryPlugin(project, { settings, target: 'workers' })],
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
      }),
    )
    if (!usesNodeCompat(project.root)) assertNoBuiltins(output)
    const contents = output.map((file) => (file.type === 'chunk' ? file.code : file.source))
    return { size: contents.reduce((sum, one) => sum + Buffer.byteLength(one), 0), externals: {} }
  })
}

/** Selects the files of packages that are meant for Workers, and bundles all packages. */
const WORKER_CONFIG: InlineConfig = {
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { target: 'webworker', noExternal: true, resolve: { conditions: ['workerd', 'worker', 'module'] } },
}

function assertNoBuiltins(output: readonly BundledFile[]): void {
  const imports = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []))
  const builtins = [...new Set(imports.filter((name) => isBuiltin(name)))].toSorted()
  if (builtins.length === 0) return
  throw new Failure(`the server imports ${builtins.join(', ')}, which Cloudflare Workers do not have`, {
    code: 'NOT_FOR_WORKERS',
    fix: 'remove the package that imports it, or add the flag nodejs_compat to the Wrangler configuration',
  })
}
