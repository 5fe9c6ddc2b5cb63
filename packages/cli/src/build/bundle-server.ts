import { writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'
import { outputOf, quietLogger, tellWhere, type Output } from './bundle.ts'
import type { Config } from '../config.ts'
import type { Project } from '../discover.ts'
import { findPackages, type InstalledPackage } from './externals.ts'
import { Failure } from '../failure.ts'
import { SERVER_ENTRY, serverEntryPlugin } from './server-entry.ts'
import { viteConfig } from '../vite-config.ts'
import type { WebFile } from './web-files.ts'

/** What `bundleServer` gives. */
export interface BundledServer {
  readonly size: number
  /** The packages it needs beside it, with their versions. */
  readonly externals: Readonly<Record<string, string>>
}

interface ServerOptions {
  readonly config: Config
  readonly web: readonly WebFile[] | null
  readonly outDir: string
}

/** Packages of every server. Bundled into one file they load several times as fast as from two hundred. */
const CORE: readonly string[] = ['@sdk/server', '@sdk/protocol', 'hono', 'ws']

/**
 * `dist/server/index.js`. It sets NODE_ENV before it loads the server, as packages read it when they are loaded. Its
 * syntax is old, so that an old Node can read it and say that it is too old.
 */
const FIRST = `var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  process.stderr.write('The server needs Node 20.19 or newer, and this is Node ' + process.versions.node + '.\\n')
  process.exit(1)
}
if (process.env.NODE_ENV === undefined) process.env.NODE_ENV = 'production'
try {
  await import('../server.js')
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write('✗ ' + error.message + '\\n  install what dist/server/package.json names: npm install --omit=dev\\n')
  process.exit(1)
}
`

/** Bundles the server of a project. */
export async function bundleServer(project: Project, options: ServerOptions): Promise<BundledServer> {
  const asked = { file: project.api ?? project.agents[0]?.file ?? project.root, route: '/api/*' }
  return tellWhere(project.root, asked, async () => {
    let output = await bundle(project, options, { isCoreInside: true })
    let needed = packagesOf(project, output)
    if (needed.some(usesCore)) {
      // A package that imports the core itself would get a second copy: two memories, two classes of errors.
      output = await bundle(project, options, { isCoreInside: false })
      needed = packagesOf(project, output)
    }
    refuseWorkbench(needed)
    const externals = Object.fromEntries(needed.map(({ name, version }) => [name, version]))
    const manifest = { private: true, type: 'module', dependencies: externals }
    writeFileSync(join(options.outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    writeFileSync(join(options.outDir, 'index.js'), FIRST)
    return { size: output.reduce((sum, file) => sum + sizeOf(file), FIRST.length), externals }
  })
}

async function bundle(
  project: Project,
  { config: { vite, ...settings }, web, outDir }: ServerOptions,
  { isCoreInside }: { isCoreInside: boolean },
): Promise<Output[]> {
  const config = viteConfig(project, vite)
  const outside = Array.isArray(config.ssr?.external) ? config.ssr.external : []
  const ssr = isCoreInside
    ? { ...config.ssr, external: outside.filter((name) => !CORE.includes(name)), noExternal: [...CORE] }
    : config.ssr
  return outputOf(
    await build({
      ...config,
      ...(ssr !== undefined && { ssr }),
      customLogger: quietLogger(),
      plugins: [...(config.plugins ?? []), serverEntryPlugin(project, { settings, web })],
      publicDir: false,
      build: {
        ssr: true,
        target: 'node20',
        outDir,
        emptyOutDir: true,
        rolldownOptions: {
          input: SERVER_ENTRY,
          output: { entryFileNames: 'server.js', codeSplitting: false },
          experimental: { attachDebugInfo: 'none' }, // its comments name folders of the machine that builds
        },
      },
    }),
  )
}

/** The packages that the bundle imports, and those that it looks for once it runs. */
function packagesOf({ root }: Project, output: readonly Output[]): InstalledPackage[] {
  const imports = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []))
  const own = new Set(output.map(({ fileName }) => fileName))
  return findPackages(
    root,
    imports.filter((name) => !isBuiltin(name) && !own.has(name)),
  )
}

function usesCore({ name, needs }: InstalledPackage): boolean {
  return name.startsWith('@sdk/') || needs.some((need) => need === '@sdk/server' || need === '@sdk/protocol')
}

function refuseWorkbench(needed: readonly InstalledPackage[]): void {
  if (needed.every(({ name }) => name !== '@sdk/workbench')) return
  throw new Failure('the server imports @sdk/workbench, which is for development', {
    code: 'WORKBENCH_IN_BUILD',
    fix: 'remove the import from src/agent and src/api',
  })
}

function sizeOf(output: Output): number {
  return Buffer.byteLength(output.type === 'chunk' ? output.code : output.source)
}
