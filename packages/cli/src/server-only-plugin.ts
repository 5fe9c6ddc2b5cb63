import { readFileSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { normalizePath, type Plugin, type Rolldown } from 'vite'
import { locateImport } from './locate-import.ts'

/** Matches packages that run only on the server. `@sdk/auth/client` is for pages. */
const SERVER_PACKAGE = /^@sdk\/(?:auth(?!\/client)|cli|database|redis|server|workbench)(?:\/|$)/

const NODE_MODULE = new RegExp(`^(?:node:.*|(?:${builtinModules.join('|')})(?:/.*)?)$`)

/** Matches files that run only on the server, but not CSS, JSON, images or `?raw` imports, which pages may use. */
const SERVER_FILE = /\/src\/(?:(?:api|agent)\/.*|auth|database)\.[cm]?[jt]sx?(?:\?(?!.*\b(?:raw|url)\b).*)?$/

/**
 * The id prefix of the empty modules that Vite substitutes for Node modules. A plugin, an alias or a package can
 * provide a real module instead.
 */
const EMPTY_MODULE = '__vite-browser-external'

/** Matches the imports in a file. It is used only for the error message, since comments and types may also match. */
const IMPORTS = /(?:\bfrom|\bimport|\bnew URL|\bglob)\s*\(?\s*(['"])(.+?)\1/g

/** A function that resolves an import in a file. It returns null if the import cannot be resolved. */
type Resolve = (source: string, importer: string) => Promise<string | null>

/**
 * Creates a plugin that rejects pages that import server-only modules, directly or indirectly. Such a page would be
 * blank, and would ship secrets and megabytes of code to browsers. Installed packages may import Node modules, since
 * packages that support browsers do not use them there. `entry` is the page's entry file.
 */
export function serverOnlyPlugin(projectRoot: string, entry: string): Plugin {
  const root = `${normalizePath(realpathSync(projectRoot))}/`
  const toName = (file: string): string => (file.startsWith(root) ? file.slice(root.length) : file)
  const first = root + toName(normalizePath(entry))

  /** Creates the error. The import chain is expensive to find, so it is computed only when there is an error. */
  async function refusalOf(context: Rolldown.PluginContext, module: string, importer?: string): Promise<Error> {
    const resolve: Resolve = async (source, from) => toFile((await context.resolve(source, from))?.id ?? '')
    const chain = await findChain(first, importer ?? module, resolve)
    if (importer !== undefined) chain.push(module)
    const by = chain.at(-2) ?? first
    const name = [...namesIn(by)].find((one) => one === module || toBase(one) === toBase(module)) ?? module
    const message = refusalMessage(toName(by), toName(module), chain.map(toName))
    // The stack is removed, since it would contain only compiler files.
    return Object.assign(new Error(message), { stack: '', id: by, loc: locateImport(name, by) })
  }

  return {
    name: 'sdk:server-only',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    resolveId: {
      filter: { id: [SERVER_PACKAGE, NODE_MODULE] },
      async handler(source, importer, options) {
        const isPackage = SERVER_PACKAGE.test(source)
        if (importer === undefined || (!isPackage && importer.includes('/node_modules/'))) return null
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        if (!isPackage && resolved?.id.startsWith(EMPTY_MODULE) !== true) return resolved
        // The dependency scan only skips the module, since errors during a scan are not shown.
        if ('scan' in options && options.scan === true) return { id: source }
        return this.error(await refusalOf(this, source, toFile(importer)))
      },
    },
    load: {
      filter: { id: SERVER_FILE },
      async handler(id) {
        const file = toFile(id)
        const isOfProject = file.startsWith(root) && `/${toName(file)}`.search(SERVER_FILE) === 0
        return isOfProject ? this.error(await refusalOf(this, file)) : null
      },
    },
  }
}

function refusalMessage(importer: string, module: string, chain: readonly string[]): string {
  const fix = module.startsWith('src/')
    ? 'move shared code to a file such as src/shared/schemas.ts, and import types with import type'
    : `remove the import, or import only code that does not need ${module}`
  return `${importer} is part of the web app and imports ${module}, which only runs on the server: ${fix} (${chain.join(' → ')})`
}

/** Returns the shortest import chain from the entry file to `target`, or only these two files if none is found. */
async function findChain(first: string, target: string, resolve: Resolve): Promise<string[]> {
  const chains = [[first]]
  const seen = new Set([first])
  for (const chain of chains) {
    const file = chain.at(-1) ?? first
    if (file === target) return chain
    for (const name of namesIn(file)) {
      const next = await resolve(name, file)
      if (next === null || seen.has(next) || next.includes('/node_modules/')) continue
      seen.add(next)
      chains.push([...chain, next])
    }
  }
  return [first, target]
}

function namesIn(file: string): Set<string> {
  try {
    return new Set(Array.from(readFileSync(file, 'utf8').matchAll(IMPORTS), ([, , name = '']) => name))
  } catch {
    return new Set() // the module has no file
  }
}

function toFile(id: string): string {
  return id.replace(/[?#].*$/, '')
}

/** Returns the last segment of a path without its extension, which imports may omit. */
function toBase(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '')
}
