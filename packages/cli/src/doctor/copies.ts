import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readManifest } from '../manifest.ts'

/** One copy of a package. */
export interface PackageCopy {
  readonly folder: string
  readonly version: string
}

const SEARCH_DEPTH = 5

/** All copies of a package that a project could load, nearest first. */
export function findCopies(root: string, name: string): PackageCopy[] {
  const tops = (createRequire(join(root, 'package.json')).resolve.paths(name) ?? []).filter((top) => existsSync(top))
  const folders = tops.flatMap((top) => [...copiesInFolder(top, name, SEARCH_DEPTH), ...copiesInStore(top, name)])
  const copies = new Map<string, PackageCopy>()
  for (const folder of folders) {
    const real = realpathSync(folder)
    if (!copies.has(real)) copies.set(real, { folder, version: readManifest(folder).version ?? 'unknown' })
  }
  return [...copies.values()]
}

function copiesInFolder(modules: string, name: string, depth: number): string[] {
  if (depth === 0 || !existsSync(modules)) return []
  const here = existsSync(join(modules, name, 'package.json')) ? [join(modules, name)] : []
  const inner = packagesIn(modules).flatMap((folder) => copiesInFolder(join(folder, 'node_modules'), name, depth - 1))
  return [...here, ...inner]
}

/** The packages in a `node_modules`, without links: those are packages elsewhere, with dependencies of their own. */
function packagesIn(modules: string): string[] {
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const folder = join(modules, entry.name)
      if (!entry.name.startsWith('@')) return [folder]
      const scoped = readdirSync(folder, { withFileTypes: true }).filter((inner) => inner.isDirectory())
      return scoped.map((inner) => join(folder, inner.name))
    })
}

/** pnpm keeps every version of a package in a folder of its own. */
function copiesInStore(modules: string, name: string): string[] {
  const store = join(modules, '.pnpm')
  if (!existsSync(store)) return []
  return readdirSync(store)
    .filter((entry) => entry.startsWith(`${name.replace('/', '+')}@`))
    .map((entry) => join(store, entry, 'node_modules', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}
