import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarationsIn, findDeclared, nameOf, readModule, type Declared } from './source-module.ts'

/** One entry of a package's `exports`. */
export interface Entry {
  /** The specifier of an import: `@sdk/server/testing`. */
  readonly name: string
  readonly path: string
  readonly exports: readonly Declared[]
  /** Names that are declared in another package. */
  readonly borrowed: readonly { readonly name: string; readonly from: string }[]
}

interface Manifest extends Pick<PublicPackage, 'name' | 'description' | 'engines' | 'peerDependencies'> {
  readonly exports: Readonly<Record<string, string | { readonly '@sdk/source': string }>>
}

/** A package that users install. */
export interface PublicPackage {
  readonly folder: string
  readonly name: string
  readonly description: string
  readonly engines?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly entries: readonly Entry[]
}

/** Reads the `exports` of a package from its package.json. */
export function readPackage(root: string, folder: string): PublicPackage {
  const at = join(root, 'packages', folder)
  const { exports, ...manifest } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest
  const entries = Object.entries(exports).flatMap(([key, target]) =>
    typeof target === 'string' ? [] : [readEntry(key.replace('.', manifest.name), join(at, target['@sdk/source']))],
  )
  return { ...manifest, folder, entries }
}

function readEntry(name: string, path: string): Entry {
  const exports: Declared[] = []
  const borrowed: { name: string; from: string }[] = []
  for (const exported of exportedNames(path)) {
    const declared = findDeclared(path, exported)
    if (declared === null) throw new Error(`${path} exports ${exported}, but no declaration was found`)
    if (typeof declared === 'string') borrowed.push({ name: exported, from: declared })
    else exports.push(declared)
  }
  return { name, path, exports, borrowed }
}

/** In the order of the entry file. */
function exportedNames(path: string): string[] {
  const names = readModule(path).program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    const listed = statement.specifiers.map(({ exported }) => ('name' in exported ? exported.name : exported.value))
    return [...declarationsIn(statement).map(nameOf), ...listed]
  })
  return [...new Set(names)]
}
