import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { mergeConfig, searchForWorkspaceRoot, type InlineConfig, type Plugin, type UserConfig } from 'vite'
import type { Project } from './discover.ts'
import { htmlPagePlugin } from './html-page.ts'
import { importMetaPlugin } from './import-meta-plugin.ts'
import { serverOnlyPlugin } from './server-only-plugin.ts'

/** Packages that hold state (sockets, limits, databases) and are therefore neither reloaded nor bundled. */
const SERVER_PACKAGES: readonly string[] = [
  '@sdk/auth',
  '@sdk/database',
  '@sdk/mcp',
  '@sdk/protocol',
  '@sdk/redis',
  '@sdk/server',
]

/**
 * Returns the Vite config that `sdk dev` and `sdk build` share. The SDK's settings override those of the project. The
 * root is the web app's folder.
 */
export function viteConfig(project: Project, added: UserConfig = {}): InlineConfig {
  const entry = join(project.web?.folder ?? project.root, 'index.tsx')
  const serverOnly = (): Plugin => serverOnlyPlugin(project.root, entry)
  const config: InlineConfig = mergeConfig(added, {
    configFile: false,
    root: project.web?.folder ?? project.root,
    envDir: false, // env files are already loaded, and Vite would restart when one changes
    cacheDir: join(project.root, '.sdk/vite'),
    appType: 'custom',
    clearScreen: false,
    logLevel: 'warn',
    plugins: [importMetaPlugin, react(), ...(project.web === null ? [] : [htmlPagePlugin(project.web)])],
    resolve: { dedupe: ['react', 'react-dom'] },
    ssr: { external: [...SERVER_PACKAGES] },
    worker: { plugins: () => [serverOnly(), ...(added.worker?.plugins?.() ?? [])] },
  } satisfies InlineConfig)
  // `serverOnly` comes first, since a plugin that resolves an import hides it from later plugins.
  return { ...config, plugins: [serverOnly(), ...(config.plugins ?? [])] }
}

/** Returns the Vite config for a command that loads a project's server once, possibly while `sdk dev` is running. */
export function viteLoadConfig(project: Project, added?: UserConfig): InlineConfig {
  const config = viteConfig(project, added)
  return {
    ...config,
    plugins: [...(config.plugins ?? []), skipDependencyOptimizer],
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  }
}

/**
 * A plugin that disables dependency optimization, which would replace the optimized dependencies of a running `sdk dev`
 * and break its pages.
 */
const skipDependencyOptimizer: Plugin = {
  name: 'sdk:nothing-for-browsers',
  enforce: 'post',
  config(config) {
    if (config.optimizeDeps !== undefined) config.optimizeDeps.include = []
  },
}

/** Files that the dev server never serves: Vite's default list, secrets, databases, and `.sdk` except for its cache. */
const DENIED_FILES: readonly string[] = [
  '.env',
  '.env.*',
  '.npmrc',
  '*.{crt,pem,key}',
  '**/.git/**',
  '**/.sdk/*',
  '**/.sdk/data/**',
  '**/.sdk/workbench/**',
  // Files of an embedded database, in any folder.
  '**/pg_{wal,xact,multixact}/**',
  '**/base/+([0-9])/**',
  '**/global/+([0-9])*',
]

/** Returns the files that a project's dev server never serves, including its embedded database. */
export function deniedFiles(root: string, url: string | undefined = process.env['DATABASE_URL']): string[] {
  const [, directory] = /^pglite:\/\/(?!memory$)(.+)$/.exec(url ?? '') ?? []
  return [...DENIED_FILES, ...(directory === undefined ? [] : [`${resolve(root, directory).replaceAll('\\', '/')}/**`])]
}

/** Returns the folders that the dev server may serve: the project, its workspace, and linked SDK packages. */
export function servableFolders(root: string): string[] {
  const scope = join(root, 'node_modules/@sdk')
  const packages = existsSync(scope) ? readdirSync(scope).map((name) => realpathSync(join(scope, name))) : []
  return [root, searchForWorkspaceRoot(root), ...packages]
}
