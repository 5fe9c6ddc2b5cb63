import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import type { Config } from './config.ts'
import type { Project } from './discover.ts'
import { Failure } from './failure.ts'
import { pageFile } from './page.ts'
import { SERVER_ENTRY, serverEntryPlugin } from './server-entry.ts'
import { viteConfig } from './vite.ts'

/** What a build made. */
export interface BuildResult {
  /** Bytes of `dist/server/index.js`. */
  readonly serverSize: number
  /** The packages that the server needs beside it, with their versions. */
  readonly externals: Readonly<Record<string, string>>
  /** Files of `dist/web`, with their bytes. */
  readonly web: readonly { readonly name: string; readonly size: number }[]
}

/** Builds a project into `dist/server` and `dist/web`. */
export async function buildProject(project: Project, config: Config = {}): Promise<BuildResult> {
  const server = await buildServer(project, config)
  const web = project.web === null ? [] : await buildWeb(project, { page: pageFile(project.web), config })
  const externals = versionsOf(project.root, server.flatMap(importsOf))
  if ('@sdk/workbench' in externals) {
    throw new Failure('the server imports @sdk/workbench, which is for development', {
      code: 'WORKBENCH_IN_BUILD',
      fix: 'remove the import from src/agent and src/api',
    })
  }
  const manifest = { private: true, type: 'module', dependencies: externals }
  writeFileSync(join(project.root, 'dist/server/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return {
    serverSize: sizeOf(server[0]),
    externals,
    web: web.map((file) => ({ name: file.fileName, size: sizeOf(file) })),
  }
}

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

async function buildServer(project: Project, { vite, ...settings }: Config): Promise<Output[]> {
  const config = viteConfig(project, vite)
  return outputOf(
    await build({
      ...config,
      plugins: [...(config.plugins ?? []), serverEntryPlugin(project, settings)],
      publicDir: false,
      build: {
        ssr: true,
        target: 'node20',
        outDir: join(project.root, 'dist/server'),
        emptyOutDir: true,
        rolldownOptions: {
          input: SERVER_ENTRY,
          output: { entryFileNames: 'index.js', codeSplitting: false },
          experimental: { attachDebugInfo: 'none' }, // its comments name folders of the machine that builds
        },
      },
    }),
  )
}

async function buildWeb(project: Project, { page, config }: { page: string; config: Config }): Promise<Output[]> {
  return outputOf(
    await build({
      ...viteConfig(project, config.vite),
      build: { outDir: join(project.root, 'dist/web'), emptyOutDir: true, rolldownOptions: { input: page } },
    }),
  )
}

function outputOf(result: Awaited<ReturnType<typeof build>>): Output[] {
  if ('close' in result) throw new TypeError('the build watches instead of ending')
  return [result].flat().flatMap(({ output }) => output)
}

function importsOf(output: Output): string[] {
  return output.type === 'chunk' ? [...output.imports, ...output.dynamicImports].filter((name) => !isBuiltin(name)) : []
}

/** The installed version of each package behind these imports. */
function versionsOf(root: string, imports: readonly string[]): Record<string, string> {
  const require = createRequire(join(root, 'package.json'))
  const names = imports.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  )
  return Object.fromEntries([...new Set(names)].toSorted().map((name) => [name, versionOf(require, name)]))
}

function versionOf(require: NodeJS.Require, name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const { version }: { version?: unknown } = JSON.parse(
        readFileSync(join(folder, name, 'package.json'), 'utf8'),
      ) as object
      return String(version)
    } catch {
      continue // not in this folder
    }
  }
  return '*'
}

function sizeOf(output: Output | undefined): number {
  if (output === undefined) return 0
  return Buffer.byteLength(output.type === 'chunk' ? output.code : output.source)
}
