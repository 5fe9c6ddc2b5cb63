import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { mergeConfig, searchForWorkspaceRoot, type InlineConfig, type Plugin, type UserConfig } from 'vite'
import type { Project } from './discover.ts'
import { pagePlugin } from './page.ts'

/** Packages that keep state (sockets, limits, databases) stay outside of what is reloaded or bundled. */
const SERVER_PACKAGES: readonly string[] = ['@sdk/auth', '@sdk/database', '@sdk/protocol', '@sdk/redis', '@sdk/server']

/**
 * What dev and build have in common, over what the project adds. The web app's folder is Vite's root, so its page and
 * paths are its own.
 */
export function viteConfig(project: Project, added: UserConfig = {}): InlineConfig {
  return mergeConfig(added, ownConfig(project))
}

/** For a command that loads a project's server once, maybe beside a `sdk dev`. */
export function loadConfig(project: Project, added?: UserConfig): InlineConfig {
  const config = viteConfig(project, added)
  return {
    ...config,
    plugins: [...(config.plugins ?? []), nothingForBrowsers],
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  }
}

/** What plugins want prepared would replace what a running `sdk dev` has prepared, and its pages would load no more. */
const nothingForBrowsers: Plugin = {
  name: 'sdk:nothing-for-browsers',
  enforce: 'post',
  config(config) {
    if (config.optimizeDeps !== undefined) config.optimizeDeps.include = []
  },
}

function ownConfig(project: Project): InlineConfig {
  return {
    configFile: false,
    root: project.web?.folder ?? project.root,
    envDir: false, // its files are in the environment already; by itself Vite would start anew when one changes
    cacheDir: join(project.root, '.sdk/vite'),
    appType: 'custom',
    clearScreen: false,
    logLevel: 'warn',
    plugins: [react(), ...(project.web === null ? [] : [pagePlugin(project.web)])],
    resolve: { dedupe: ['react', 'react-dom'] },
    ssr: { external: [...SERVER_PACKAGES] },
  }
}

/** What it may not, wherever that lies: Vite's own list, and the secrets and rows of `.sdk`; the cache beside them is Vite's. */
export const UNREADABLE: readonly string[] = [
  '.env',
  '.env.*',
  '*.{crt,pem,key}',
  '**/.git/**',
  '**/.sdk/*',
  '**/.sdk/data/**',
  '**/.sdk/workbench/**',
]

/** The folders that the dev server may read: the project, its workspace, and our packages where they are links. */
export function readableFolders(root: string): string[] {
  const scope = join(root, 'node_modules/@sdk')
  const packages = existsSync(scope) ? readdirSync(scope).map((name) => realpathSync(join(scope, name))) : []
  return [root, searchForWorkspaceRoot(root), ...packages]
}
