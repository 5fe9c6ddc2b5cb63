import { cpSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, mergeConfig, type InlineConfig } from 'vite'
import { bundledFiles, createWarningLogger, withErrorLocation, type BundledFile } from './bundle.ts'
import type { Config } from '../config.ts'
import type { Project } from '../discover.ts'
import { Failure } from '../failure.ts'
import { findPackage, readManifest } from '../manifest.ts'
import { listMigrationFiles } from '../migrate/migration-files.ts'
import { SERVER_ENTRY, serverEntryPlugin, type Target } from './server-entry.ts'
import { viteConfig } from '../vite-config.ts'
import type { WebFile } from './web-files.ts'

/** Options for `bundleServer` and `bundleWorker`. */
export interface ServerOptions {
  readonly config: Config
  readonly web: readonly WebFile[] | null
  readonly outDir: string
  readonly target: Target
}

/** Packages that every server uses. They load several times faster from one bundle than from about 200 files. */
const CORE_PACKAGES: readonly string[] = ['@sdk/server', '@sdk/protocol', 'hono', 'ws']

/** Packages without state that consist of many files, and that most servers use. */
const LARGE_PACKAGES: readonly string[] = ['zod']

/**
 * The source of `dist/server/index.js`. It sets NODE_ENV before it loads the server, since packages read the variable
 * when they are loaded. Node 22 and newer store the compiled code next to it, so that later starts take less time. It
 * uses old syntax, so that old versions of Node can parse it and print the error message.
 */
const indexSource = (workers: Config['workers']): string => `import module from 'node:module'
var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write('The server requires Node 20.19 or newer, got Node ' + process.versions.node + '.\\n')
  process.exit(1)
}
if (process.env.NODE_ENV === undefined) process.env.NODE_ENV = 'production'
if (module.enableCompileCache) module.enableCompileCache(import.meta.dirname + '/.cache')
var workers = process.env.WORKERS || '${workers ?? ''}'
var isPrimary = !['', '1'].includes(workers) && !process.env.SDK_WORKER && !process.argv.includes('--check')
try {
  await import(isPrimary ? './workers.js' : './server.js')
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write('✗ ' + error.message + '\\n  install the packages in dist/server/package.json: npm install --omit=dev\\n')
  process.exit(1)
}
`

/** The source of `dist/server/index.js` on Bun and Deno, which run one process. */
const PLAIN_INDEX = `if (process.env.NODE_ENV === undefined) process.env.NODE_ENV = 'production'
await import('./server.js')
`

/** Bundles a project's server. Returns its size, and the names and versions of the packages that it imports. */
export async function bundleServer(
  project: Project,
  options: ServerOptions,
): Promise<{ size: number; externals: Record<string, string> }> {
  const target = { file: project.api ?? project.agents[0]?.file ?? project.root, route: '/api/*' }
  return withErrorLocation(project.root, target, async () => {
    let output = await bundleOnce(project, options, { isCoreInside: true })
    let needed = requiredPackages(project, output)
    if (needed.some(usesCore)) {
      // A package that imports the core packages would load a second copy, with separate state and error classes.
      output = await bundleOnce(project, options, { isCoreInside: false })
      needed = requiredPackages(project, output)
    }
    assertNoWorkbench(needed)
    const externals = Object.fromEntries(needed.map(({ name, version }) => [name, version]))
    const manifest = { private: true, type: 'module', dependencies: externals }
    writeFileSync(join(options.outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    // Workers need `node:cluster` and signals as in Node.
    const isNode = options.target === 'node'
    const index = isNode ? indexSource(options.config.workers) : PLAIN_INDEX
    writeFileSync(join(options.outDir, 'index.js'), index)
    if (isNode) await bundlePrimary(options)
    copyMigrations(project, options)
    const contents = output.map((file) => (file.type === 'chunk' ? file.code : file.source))
    return { size: contents.reduce((sum, one) => sum + Buffer.byteLength(one), index.length), externals }
  })
}

/** Bundles the process that starts the workers, which loads none of the project's modules. */
async function bundlePrimary({ outDir, config: { workers } }: ServerOptions): Promise<void> {
  const file = fileURLToPath(new URL(`../workers/run-primary${extname(import.meta.url)}`, import.meta.url))
  const options = `{ workers: process.env.WORKERS || '${workers ?? ''}', base: import.meta.url }`
  const source = `import { runPrimary } from ${JSON.stringify(file)}\nawait runPrimary(${options})`
  const id = 'virtual:sdk-workers'
  await build({
    configFile: false,
    root: dirname(file),
    envDir: false,
    logLevel: 'warn',
    customLogger: createWarningLogger(),
    plugins: [
      {
        name: 'sdk:workers-entry',
        resolveId: (one) => (one === id ? `\0${id}` : undefined),
        load: (one) => (one === `\0${id}` ? source : undefined),
      },
    ],
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      rolldownOptions: {
        input: id,
        output: { entryFileNames: 'workers.js', codeSplitting: false },
        experimental: { attachDebugInfo: 'none' },
      },
    },
  })
}

/** Copies the migration files, so that a server needs only `dist` and applies the migrations of its own version. */
function copyMigrations({ root }: Project, { outDir }: ServerOptions): void {
  const from = join(root, 'migrations')
  for (const name of listMigrationFiles(from)) cpSync(join(from, name), join(outDir, 'migrations', name))
}

async function bundleOnce(
  project: Project,
  { config: { vite, ...settings }, web, outDir, target }: ServerOptions,
  { isCoreInside }: { isCoreInside: boolean },
): Promise<BundledFile[]> {
  const config = viteConfig(project, vite)
  const outside = Array.isArray(config.ssr?.external) ? config.ssr.external : []
  const inside = [...LARGE_PACKAGES, ...(isCoreInside ? CORE_PACKAGES : [])]
  const external = outside.filter((name) => !inside.includes(name))
  const options: InlineConfig = mergeConfig(
    { ...config, ssr: { ...config.ssr, external } },
    { ssr: { noExternal: inside } },
  )
  return bundledFiles(
    await build({
      ...options,
      customLogger: createWarningLogger(),
      plugins: [...(config.plugins ?? []), serverEntryPlugin(project, { settings, web, target })],
      publicDir: false,
      build: {
        ssr: true,
        target: 'node20',
        outDir,
        emptyOutDir: true,
        rolldownOptions: {
          input: SERVER_ENTRY,
          output: { entryFileNames: 'server.js', codeSplitting: false },
          experimental: { attachDebugInfo: 'none' }, // debug comments contain absolute paths
        },
      },
    }),
  )
}

/** An installed package. `needs` contains the names of its dependencies. */
type InstalledPackage = Readonly<{ name: string; version: string; needs: readonly string[] }>

/** Returns the packages that the bundle imports statically or at run time, sorted by name. */
function requiredPackages({ root }: Project, output: readonly BundledFile[]): InstalledPackage[] {
  const all = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []))
  const own = new Set(output.map(({ fileName }) => fileName))
  const imports = all.filter((name) => !isBuiltin(name) && !own.has(name))
  const names = [...imports.map(packageName), ...runtimeImports(root)]
  return [...new Set(names)].toSorted().map((name) => {
    const folder = findPackage(root, name)
    const { version = '*', dependencies, peerDependencies } = folder === null ? {} : readManifest(folder)
    return { name, version, needs: Object.keys({ ...dependencies, ...peerDependencies }) }
  })
}

/**
 * Returns the packages that are imported only at run time: `REDIS_URL` and `DATABASE_URL` select the engine, and
 * `@sdk/mcp` loads the MCP SDK on the first request.
 */
function runtimeImports(root: string): string[] {
  const { dependencies = {} } = readManifest(root)
  return ['@sdk/redis', '@sdk/database', '@modelcontextprotocol/server'].filter((name) => name in dependencies)
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function usesCore({ name, needs }: InstalledPackage): boolean {
  return name.startsWith('@sdk/') || needs.some((need) => need === '@sdk/server' || need === '@sdk/protocol')
}

function assertNoWorkbench(needed: readonly InstalledPackage[]): void {
  if (needed.every(({ name }) => name !== '@sdk/workbench')) return
  throw new Failure('the server imports @sdk/workbench, which is for development only', {
    code: 'WORKBENCH_IN_BUILD',
    fix: 'remove the import from src/agent and src/api',
  })
}
