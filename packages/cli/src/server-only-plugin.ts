import { readFileSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { normalizePath, type Plugin, type Rolldown } from 'vite'
import { locateImport } from './locate-import.ts'

/** The packages that run on the server only. `@sdk/auth/client` is for pages. */
const SERVER_PACKAGE = /^@sdk\/(?:auth(?!\/client)|cli|database|redis|server|workbench)(?:\/|$)/

const NODE_MODULE = new RegExp(`^(?:node:.*|(?:${builtinModules.join('|')})(?:/.*)?)$`)

/** Files that run on the server only. CSS, JSON and images are for pages too, and so is `?raw`, the text of a file. */
const SERVER_FILE = /\/src\/(?:(?:api|agent)\/.*|auth|database)\.[cm]?[jt]sx?(?:\?(?!.*\b(?:raw|url)\b).*)?$/

/** Vite's empty module in place of one of Node's. A plugin, an alias or a package may provide a real one instead. */
const EMPTY_MODULE = '__vite-browser-external'

/** The modules that a file names. Only for the message: comments and types may match, too. */
const IMPORTS = /(?:\bfrom|\bimport|\bnew URL|\bglob)\s*\(?\s*(['"])(.+?)\1/g

/** Resolves an import of a file; null where it leads nowhere. */
type Resolve = (source: string, importer: string) => Promise<string | null>

/**
 * Creates a plugin that refuses a page which imports, by any number of files, a module that runs on the server only. It
 * would be a blank page, and would ship secrets and megabytes to browsers. Installed packages may import modules of
 * Node: those that are made for browsers, too, do without them there. `entry` is the first file of the page.
 */
export function serverOnlyPlugin(projectRoot: string, entry: string): Plugin {
  const root = `${normalizePath(realpathSync(projectRoot))}/`
  const toName = (file: string): string => (file.startsWith(root) ? file.slice(root.length) : file)
  const first = root + toName(normalizePath(entry))

  /** Finds the way to a module, which is only worth its time once there is something to refuse. */
  async function refusalOf(context: Rolldown.PluginContext, module: string, importer?: string): Promise<Error> {
    const resolve: Resolve = async (source, from) => toFile((await context.resolve(source, from))?.id ?? '')
    const chain = await findChain(first, importer ?? module, resolve)
    if (importer !== undefined) chain.push(module)
    const by = chain.at(-2) ?? first
    const name = [...namesIn(by)].find((one) => one === module || toBase(one) === toBase(module)) ?? module
    const message = refusalMessage(toName(by), toName(module), chain.map(toName))
    // Without a stack: it would name files of the compiler only.
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
        // The scan for dependencies only skips it: its errors are not shown.
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
    ? 'move what both need to a file such as src/shared/schemas.ts, and import types with import type'
    : `remove the import, or import only what does not need ${module}`
  return `${importer} is part of the page and imports ${module}, which runs on the server only: ${fix} (${chain.join(' → ')})`
}

/** The files from the page's first one to this one, by the shortest way; without a way only these two. */
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
    return new Set() // a module without a file
  }
}

function toFile(id: string): string {
  return id.replace(/[?#].*$/, '')
}

/** The last part of a path, without its extension: imports may leave that out. */
function toBase(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.\w+$/, '')
}
