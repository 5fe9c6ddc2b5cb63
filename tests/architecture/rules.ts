import { dirname, join } from 'node:path/posix'
import type { Manifest } from './manifest.ts'
import type { SourceFile } from './source-file.ts'

/** A part of the house and all that it may import (`*`: whatever is not ours); a room within a room has its own list. */
export interface Room {
  readonly folder: string
  readonly may: readonly string[]
}

/** The floors of docs/internals/house.md. `.oxlintrc.json` holds the same lists. */
const HOUSE: readonly Room[] = [
  { folder: 'packages/protocol/src', may: [] },
  { folder: 'packages/server/src', may: ['@sdk/protocol', 'hono'] },
  { folder: 'packages/server/src/node', may: ['@sdk/protocol', 'hono', '@hono/node-server', 'ws', 'node:'] },
  { folder: 'packages/server/src/node.ts', may: ['@sdk/protocol', 'node:'] },
  { folder: 'packages/frontend/src', may: ['@sdk/protocol'] },
  { folder: 'packages/react/src', may: ['@sdk/frontend', '@sdk/protocol', '@tanstack/react-query', 'react'] },
  {
    folder: 'packages/database/src',
    may: ['@sdk/server', '@sdk/protocol', 'drizzle-orm', 'pg', '@electric-sql/pglite', 'node:'],
  },
  { folder: 'packages/redis/src', may: ['@sdk/server', 'ioredis'] },
  { folder: 'packages/auth/src', may: ['@sdk/server', '@sdk/database', '@sdk/protocol', 'better-auth', 'node:'] },
  { folder: 'packages/auth/src/schema.ts', may: ['drizzle-orm'] },
  { folder: 'packages/auth/src/client.ts', may: ['@sdk/frontend', 'better-auth/client'] },
  { folder: 'packages/workbench/src', may: ['@sdk/server', 'node:'] },
  {
    folder: 'packages/workbench/src/ui',
    may: [
      '@sdk/react',
      '@sdk/frontend',
      '@sdk/protocol',
      'react',
      'react-dom',
      'wouter',
      '@tanstack/react-query',
      '@tanstack/react-virtual',
      '@codemirror/commands',
      '@codemirror/lang-json',
      '@codemirror/language',
      '@codemirror/lint',
      '@codemirror/state',
      '@codemirror/view',
      '@lezer/highlight',
      '@cfworker/json-schema',
      'lucide-react',
    ],
  },
  { folder: 'packages/cli/src', may: ['@sdk/server', '@sdk/workbench', '*'] },
  { folder: 'packages/create/src', may: ['*'] },
  { folder: 'packages/test-kit/src', may: ['*'] },
]

/** A rule returns a line for everything that breaks it. */
export type Violations = string[]

/** A package imports only what its list allows. Tests may use more; `declaredImports` checks them. */
export function floors(files: readonly SourceFile[]): Violations {
  return files.filter(isShipped).flatMap(({ path, imports }) => {
    const room = HOUSE.filter(({ folder }) => isWithin(path, folder)).toSorted(byDepth)[0]
    if (!room) return [`${path} is in no room of the house`]
    return imports
      .filter((name) => !isRelative(name) && !room.may.some((allowed) => allows(allowed, name)))
      .map((name) => `${path} may not import ${name}`)
  })
}

/** No import cycles. Imports of types do not count. */
export function noCycles(files: readonly SourceFile[]): Violations {
  const graph = new Map(files.map((file) => [file.path, file.loads.filter(isRelative).map(resolveFrom(file.path))]))
  const done = new Set<string>()
  const rings: Violations = []
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) rings.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (done.has(path) || way.includes(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...way, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return rings
}

/** Every import of a file is in the `package.json` of its package. */
export function declaredImports(files: readonly SourceFile[], manifests: readonly Manifest[]): Violations {
  const workspace = manifests.find(({ folder }) => folder === '')
  return files.flatMap(({ path, imports }) => {
    const own = manifests.find(({ folder }) => folder !== '' && isWithin(path, folder))
    const declared = new Set([...(own?.dependencies ?? []), own?.name ?? ''])
    if (!own || !isShipped({ path }) || isBundled(path)) {
      const more = [own, workspace].flatMap((manifest) => manifest?.devDependencies ?? [])
      for (const name of more) declared.add(name)
    }
    // Outside of the workspaces, npm's links make all of them resolvable.
    if (!own || own.folder === 'benchmarks') for (const { name } of manifests) declared.add(name)
    return imports
      .filter((name) => !isRelative(name) && !name.startsWith('node:') && !declared.has(packageOf(name)))
      .map((name) => `${path} imports ${name}, which its package.json does not list`)
  })
}

/** Packages meet at their public entries, and no relative path leads out of one. */
export function publicEntries(files: readonly SourceFile[], manifests: readonly Manifest[]): Violations {
  const entries = new Set(manifests.flatMap((manifest) => manifest.entries))
  // Benchmarks have dependencies of their own, but belong to the workspace, as scripts and tests do.
  const homes = manifests.map(({ folder }) => folder).filter((folder) => folder !== '' && folder !== 'benchmarks')
  const homeOf = (path: string): string | undefined => homes.find((folder) => isWithin(path, folder))
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((name) =>
        isRelative(name)
          ? homeOf(resolveFrom(path)(name)) !== homeOf(path)
          : name.startsWith('@sdk/') && !entries.has(name),
      )
      .map((name) => `${path} imports ${name}, which is no public entry`),
  )
}

/** The tsconfig of a package refers to exactly the packages it depends on, and the root's to all. */
export function references(manifests: readonly Manifest[]): Violations {
  const packages = manifests.filter(({ folder }) => folder.startsWith('packages/'))
  return manifests.flatMap(({ folder, dependencies, references: actual }) => {
    if (folder !== '' && !folder.startsWith('packages/')) return []
    const wanted = packages.filter(({ name }) => folder === '' || dependencies.includes(name)).map((it) => it.folder)
    const missing = wanted.filter((path) => !actual.includes(path)).map((path) => `does not refer to ${path}`)
    const extra = actual.filter((path) => !wanted.includes(path)).map((path) => `refers to ${path} without need`)
    return [...missing, ...extra].map((problem) => `${join(folder, 'tsconfig.json')} ${problem}`)
  })
}

/** Every concept has a name of its own; these are names for having none. A command is named by its user. */
export function noLeftovers(files: readonly SourceFile[]): Violations {
  const allowed = ['benchmarks/types', 'benchmarks/types.ts', 'packages/cli/src/commands']
  return files
    .filter(({ path }) => /(^|\/)(utils?|helpers?|types?|lib)(\/|\.)/.test(path))
    .filter(({ path }) => !allowed.some((folder) => isWithin(path, folder)))
    .map(({ path }) => `${path} is named after nothing in particular`)
}

/** Exports are named, one by one. */
export function namedExports(files: readonly SourceFile[]): Violations {
  const packaged = files.filter(({ path }) => path.startsWith('packages/'))
  return [
    ...packaged.filter((file) => file.hasStarExport).map(({ path }) => `${path} exports *`),
    ...packaged.filter((file) => file.hasDefaultExport).map(({ path }) => `${path} has a default export`),
  ]
}

/** A file is something to read in one sitting. */
export function shortFiles(files: readonly SourceFile[]): Violations {
  return files.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path} has ${lines} lines`)
}

function isShipped({ path }: { path: string }): boolean {
  return path.startsWith('packages/') && !/\.test(-d)?\./.test(path)
}

/** The workbench's pages are shipped as one bundle, so their libraries are no dependencies. */
function isBundled(path: string): boolean {
  return isWithin(path, 'packages/workbench/src/ui')
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function byDepth(one: Room, other: Room): number {
  return other.folder.length - one.folder.length
}

function isRelative(name: string): boolean {
  return name.startsWith('.')
}

function resolveFrom(path: string): (name: string) => string {
  return (name) => join(dirname(path), name)
}

function allows(allowed: string, name: string): boolean {
  if (allowed === '*') return !name.startsWith('@sdk/')
  return allowed === 'node:' ? name.startsWith('node:') : isWithin(name, allowed)
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}
