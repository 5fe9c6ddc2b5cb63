import { realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { normalizePath, type Plugin } from 'vite'
import { locateImport } from './locate-import.ts'

/** The packages that run on the server only. `@sdk/auth/client` is for pages. */
const SERVER_PACKAGE = /^@sdk\/(?:auth(?!\/client)|cli|database|redis|server|workbench)(?:\/|$)/

/** The files of a project that run on the server only, relative to its root. CSS, JSON and images are for pages, too. */
const SERVER_FILE = /^src\/(?:(?:api|agent)\/.*|auth|database)\.[cm]?[jt]sx?$/

/** Imports of the text or the URL of a file, which do not run it. */
const AS_ASSET = /[?&](?:raw|url)(?:&|$)/

/** Vite's empty module in place of one of Node's. A plugin, an alias or a package may provide a real one instead. */
const EMPTY_MODULE = '__vite-browser-external'

/**
 * Creates a plugin that refuses a page which imports, by any number of files, a module that runs on the server only. It
 * would be a blank page, and would ship secrets and megabytes to browsers. Installed packages may import modules of
 * Node: those that are made for browsers, too, do without them there.
 */
export function serverOnlyPlugin(projectRoot: string): Plugin {
  const root = `${normalizePath(realpathSync(projectRoot))}/`
  const importersOf = new Map<string, Set<string>>()
  return {
    name: 'sdk:server-only',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    watchChange(file) {
      for (const importers of importersOf.values()) importers.delete(normalizePath(file))
    },
    async resolveId(source, importedBy, options) {
      if (importedBy === undefined || (isInstalled(importedBy) && !SERVER_PACKAGE.test(source))) return null
      const importer = toFile(importedBy)
      const resolved = await this.resolve(source, importedBy, { ...options, skipSelf: true })
      const module = serverModule(source, resolved?.id ?? '', root)
      // Vite resolves a module from itself to find its URL.
      if (module === null || module === toName(importer, root)) {
        if (resolved !== null && !importer.endsWith('.html')) addTo(importersOf, toFile(resolved.id), importer)
        return resolved
      }
      // The scan for dependencies only skips it: its errors are not shown.
      if ('scan' in options && options.scan === true) return { id: source }
      const chain = [...chainTo(importer, importersOf).map((file) => toName(file, root)), module]
      const message = refusalMessage(toName(importer, root), module, chain)
      // Without a stack: it would name files of the compiler only.
      return this.error(
        Object.assign(new Error(message), { stack: '', id: importer, loc: locateImport(source, importer) }),
      )
    },
  }
}

/** The name of a module that runs on the server only; null where it runs in browsers, too. */
function serverModule(source: string, id: string, root: string): string | null {
  if (SERVER_PACKAGE.test(source)) return source
  if (isBuiltin(source) && id.startsWith(EMPTY_MODULE)) return source
  const name = toName(toFile(id), root)
  return SERVER_FILE.test(name) && !AS_ASSET.test(id) ? name : null
}

function refusalMessage(importer: string, module: string, chain: readonly string[]): string {
  const isFile = module.startsWith('src/')
  const fix = isFile
    ? 'move what both need to a file such as src/shared/schemas.ts, and import types with import type'
    : `remove the import, or import only what does not need ${module}`
  return `${importer} is part of the page and imports ${module}, which runs on the server only: ${fix} (${chain.join(' → ')})`
}

/** The files from the page's first one to this one, by the shortest way. */
function chainTo(file: string, importersOf: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const chains = [[file]]
  const seen = new Set([file])
  for (const chain of chains) {
    const importers = [...(importersOf.get(chain[0] ?? '') ?? [])]
    if (importers.length === 0) return chain
    for (const importer of importers.filter((one) => !seen.has(one))) {
      seen.add(importer)
      chains.push([importer, ...chain])
    }
  }
  return [file]
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value))
}

function isInstalled(id: string): boolean {
  return id.includes('/node_modules/')
}

function toFile(id: string): string {
  return id.replace(/[?#].*$/, '')
}

function toName(file: string, root: string): string {
  return file.startsWith(root) ? file.slice(root.length) : file
}
