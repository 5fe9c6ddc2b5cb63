import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteInfo } from '@sdk/server'
import { Failure } from '../failure.ts'
import { findPackage } from '../manifest.ts'
import { toRegistryEntry, toRegistryInterface } from './route-types.ts'

/** Types as the compiler expands them, by route. */
export type ExpandedTypes = ReadonlyMap<string, string>

/** A type that makes the compiler expand types in full, without the names of other types. */
const PLAIN_TYPE_SOURCE = `type Leaf = string | number | boolean | bigint | symbol | null | undefined | Date | Blob | Uint8Array
type Plain<T> = T extends Leaf | ((...args: never[]) => unknown)
  ? T
  : T extends readonly (infer Item)[]
    ? number extends T['length']
      ? Plain<Item>[]
      : { [Key in keyof T]: Plain<T[Key]> }
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T`

/** Errors about the declarations of other files, which are not used. */
const ABOUT_DECLARATIONS = /error TS(?:2742|2883|4\d{3}|9\d{3}):/

/**
 * Returns the expanded types of all routes, for a package that must not load the server's sources. The project's
 * own compiler expands them, since only it has the exact types.
 */
export function expandTypes(root: string, routes: readonly RouteInfo[]): string {
  const names = routes.map(({ route }) => route)
  const folder = join(root, '.sdk/expand')
  try {
    writeProgram(folder, routes)
    const expanded = readDeclarations(compileDeclarations(root, folder), names)
    return toExpandedFile(routes, expanded)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the source of the file for the other package. */
export function toExpandedFile(routes: readonly RouteInfo[], expanded: ExpandedTypes): string {
  const entries = (isSocket: boolean): string[] =>
    routes
      .filter(({ kind }) => (kind === 'socket') === isSocket)
      .map(({ route }) => toRegistryEntry(route, `HasTypes<${expanded.get(route) ?? 'never'}>`))
  return `/* eslint-disable -- Written by sdk types --expand: the types of each route. Do not edit it. */
import type { HasTypes } from '@sdk/protocol'

declare module '@sdk/protocol' {
${toRegistryInterface('Routes', entries(false))}
${toRegistryInterface('Sockets', entries(true))}
}
`
}

function writeProgram(folder: string, routes: readonly RouteInfo[]): void {
  const lines = routes.map(({ route, kind }, index) => {
    const ask = kind === 'socket' ? 'socket' : 'route'
    return `export const type${index} = ${ask}(${JSON.stringify(route)})`
  })
  const options = { noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false, composite: false }
  const compilerOptions = { ...options, outDir: 'out', rootDir: '../..' }
  const files = ['routes.ts', '../../src/sdk-routes.d.ts']
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files, include: [] }),
  )
  writeFileSync(
    join(folder, 'routes.ts'),
    `import type { RouteOf, Routes, SocketOf, Sockets } from '@sdk/protocol'
${PLAIN_TYPE_SOURCE}
declare function route<Name extends keyof Routes>(name: Name): Plain<RouteOf<Name>>
declare function socket<Name extends keyof Sockets>(name: Name): Plain<SocketOf<Name>>
${lines.join('\n')}
`,
  )
}

function compileDeclarations(root: string, folder: string): string {
  const typescript = findPackage(root, 'typescript')
  if (typescript === null)
    throw new Failure('sdk types --expand needs TypeScript, but TypeScript is not installed', {
      code: 'PACKAGE_MISSING',
      fix: 'npm install --save-dev typescript',
    })
  const { stdout } = spawnSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  })
  const errors = stdout.split('\n').filter((line) => /error TS\d+:/.test(line) && !ABOUT_DECLARATIONS.test(line))
  const file = join(folder, 'out/.sdk/expand/routes.d.ts')
  if (errors.length > 0 || !existsSync(file))
    throw new Failure('the project does not compile, so its types are unknown', {
      code: 'LOAD_FAILED',
      lines: errors.slice(0, 5),
      fix: 'npx tsc --noEmit shows all errors',
    })
  return readFileSync(file, 'utf8')
}

/** Reads `export declare const type0: …;`, one after another. A recursive type, such as a tree, is `unknown`. */
function readDeclarations(text: string, names: readonly string[]): ExpandedTypes {
  const parts = text.split(/^export declare const type(\d+): /m).slice(1)
  const expanded = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = names[Number(parts[at])]
    const type = (parts[at + 1] ?? '').replace(/\s*(?:export \{\};?\s*)?$/, '').replace(/;$/, '')
    if (name !== undefined)
      expanded.set(name, indent(type.replaceAll(/\b(?:Plain<[^;]*>|any)(?=[;\s[\]|&]|$)/g, 'unknown')))
  }
  return expanded
}

function indent(type: string): string {
  return type.replaceAll('\n', '\n    ')
}
