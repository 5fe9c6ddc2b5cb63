import { dirname, join } from 'node:path/posix'
import type { Manifest } from './manifest.ts'
import type { SourceFile } from './source-file.ts'

/** A folder and every package it may import (`*`: all packages outside of the workspace). The deepest folder counts. */
interface AllowedImports {
  readonly folder: string
  readonly may: readonly string[]
}

/** The layers of docs/internals/architecture.md. `.oxlintrc.json` has the same lists. */
const ALLOWED_IMPORTS: readonly AllowedImports[] = [
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
  { folder: 'packages/mcp/src', may: ['@sdk/server', '@modelcontextprotocol/server'] },
  { folder: 'packages/mcp/src/testing.ts', may: ['@modelcontextprotocol/client'] },
  {
    folder: 'packages/auth/src',
    may: [
      '@sdk/server',
      '@sdk/database',
      '@sdk/protocol',
      'better-auth',
      '@better-auth/core',
      '@better-auth/oauth-provider',
      'node:',
    ],
  },
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

/** One line for each violation of a rule. */
export type Violations = string[]

/** A package imports only what its list allows. Tests may use more; `declaredImports` checks them. */
export function packageLayers(files: readonly SourceFile[]): Violations {
  return files.filter(isShipped).flatMap(({ path, imports }) => {
    const allowed = ALLOWED_IMPORTS.filter(({ folder }) => isWithin(path, folder)).toSorted(byDepth)[0]
    if (!allowed) return [`${path} is in no known package`]
    return imports
      .filter((name) => !isRelative(name) && !name.startsWith('#') && !allowed.may.some((entry) => allows(entry, name)))
      .map((name) => `${path} may not import ${name}`)
  })
}

/**
 * The folders of `packages/server/src`, lowest layer first. A file imports lower layers or its own folder; type imports
 * count. The entries in `src` itself are above all folders.
 */
const SERVER_LAYERS: readonly (readonly string[])[] = [
  ['platform'],
  ['log'],
  ['engine', 'schema'],
  ['auth'],
  ['observe'],
  ['http'],
  ['context'],
  ['define'],
  ['idempotency'],
  ['endpoint'],
  ['resource', 'run', 'socket'],
  ['openapi', 'guard'],
  ['live', 'tool'],
  ['app'],
  ['adapter'],
  ['node', 'workers'],
  ['testing'],
]
const SERVER = 'packages/server/src'

/** Inside the server, a file imports lower layers or its own folder. */
export function serverLayers(files: readonly SourceFile[]): Violations {
  return files
    .filter((file) => isShipped(file) && isWithin(file.path, SERVER))
    .flatMap(({ path, imports }) => {
      const from = serverFolderOf(path)
      const layer = serverLayerOf(from)
      if (layer === undefined) return [`${path} is in a folder that has no layer`]
      return imports
        .filter(isRelative)
        .map(resolveFrom(path))
        .filter(
          (target) => serverFolderOf(target) !== from && (serverLayerOf(serverFolderOf(target)) ?? Infinity) >= layer,
        )
        .map((target) => `${path} may not import ${target}, which is not in a lower layer`)
    })
}

/** Returns `http` for `packages/server/src/http/body.ts`, and an empty text for an entry. */
function serverFolderOf(path: string): string {
  const [folder = '', ...rest] = path.slice(SERVER.length + 1).split('/')
  return rest.length > 0 ? folder : ''
}

function serverLayerOf(folder: string): number | undefined {
  if (folder === '') return SERVER_LAYERS.length
  const layer = SERVER_LAYERS.findIndex((folders) => folders.includes(folder))
  return layer < 0 ? undefined : layer
}

/** No import cycles. Imports of types count. */
export function noCycles(files: readonly SourceFile[]): Violations {
  const graph = new Map(files.map((file) => [file.path, file.imports.filter(isRelative).map(resolveFrom(file.path))]))
  const done = new Set<string>()
  const cycles: Violations = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (done.has(path) || trail.includes(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return cycles
}

/** Every import of a file is in the `package.json` of its package. */
export function declaredImports(files: readonly SourceFile[], manifests: readonly Manifest[]): Violations {
  const workspace = manifests.find(({ folder }) => folder === '')
  return files.flatMap(({ path, imports }) => {
    const own = manifests.find(({ folder }) => folder !== '' && isWithin(path, folder))
    const declared = new Set([...(own?.dependencies ?? []), ...(own?.imports ?? []), own?.name ?? ''])
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

/** Packages import each other through public entries, and no relative path leaves a package. */
export function publicEntries(files: readonly SourceFile[], manifests: readonly Manifest[]): Violations {
  const entries = new Set(manifests.flatMap((manifest) => manifest.entries))
  // Benchmarks have separate dependencies, but belong to the workspace, as scripts and tests do.
  const folders = manifests.map(({ folder }) => folder).filter((folder) => folder !== '' && folder !== 'benchmarks')
  const packageFolderOf = (path: string): string | undefined => folders.find((folder) => isWithin(path, folder))
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((name) =>
        isRelative(name)
          ? packageFolderOf(resolveFrom(path)(name)) !== packageFolderOf(path)
          : name.startsWith('@sdk/') && !entries.has(name),
      )
      .map((name) => `${path} imports ${name}, which is not a public entry`),
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

/** Files and folders are named after their contents. The file of a command has the name of the command. */
export function specificFileNames(files: readonly SourceFile[]): Violations {
  const allowed = ['benchmarks/types', 'benchmarks/types.ts', 'packages/cli/src/commands']
  return files
    .filter(({ path }) => /(^|\/)(utils?|helpers?|types?|lib)(\/|\.)/.test(path))
    .filter(({ path }) => !allowed.some((folder) => isWithin(path, folder)))
    .map(({ path }) => `${path} has a name that says nothing about its content`)
}

/** Exports are named individually. */
export function namedExports(files: readonly SourceFile[]): Violations {
  const packaged = files.filter(({ path }) => path.startsWith('packages/'))
  return [
    ...packaged.filter((file) => file.hasStarExport).map(({ path }) => `${path} exports *`),
    ...packaged.filter((file) => file.hasDefaultExport).map(({ path }) => `${path} has a default export`),
  ]
}

/** A file has at most 300 lines. */
export function shortFiles(files: readonly SourceFile[]): Violations {
  return files.filter(({ lines }) => lines > 300).map(({ path, lines }) => `${path} has ${lines} lines`)
}

/** A folder of a package has at most 32 source files, tests not counted. */
export function smallFolders(files: readonly SourceFile[]): Violations {
  const counts = new Map<string, number>()
  for (const { path } of files.filter(isShipped)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > 32).map(([folder, count]) => `${folder} has ${count} source files`)
}

/**
 * A name means one concept: a top-level name is declared in at most three source files. The exceptions have the same
 * meaning everywhere.
 */
export function distinctNames(files: readonly SourceFile[], exceptions: readonly string[] = []): Violations {
  const declared = new Map<string, string[]>()
  for (const { path, names } of files.filter(isShipped)) {
    for (const name of names) declared.set(name, [...(declared.get(name) ?? []), path])
  }
  return [...declared]
    .filter(([name, paths]) => paths.length > 3 && !exceptions.includes(name))
    .map(([name, paths]) => `${name} is declared in ${paths.join(', ')}`)
}

/** The type of a function's options ends in `Options` or `Dependencies`, not in `Parts`. */
export function noPartsTypes(files: readonly SourceFile[]): Violations {
  return files
    .filter(isShipped)
    .flatMap(({ path, names }) =>
      names.filter((name) => /^[A-Z].*Parts$|^Parts$/.test(name)).map((name) => `${path} declares ${name}`),
    )
}

function isShipped({ path }: { path: string }): boolean {
  return path.startsWith('packages/') && !/\.test(-d)?\./.test(path)
}

/** The pages of the workbench are shipped as one bundle, so their libraries are not dependencies. */
function isBundled(path: string): boolean {
  return isWithin(path, 'packages/workbench/src/ui')
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function byDepth(one: AllowedImports, other: AllowedImports): number {
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
