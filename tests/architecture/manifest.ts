import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of a `package.json` and its `tsconfig.json` that the rules read. */
export interface Manifest {
  /** From the root of the workspace: `packages/server`. */
  readonly folder: string
  readonly name: string
  readonly dependencies: readonly string[]
  readonly devDependencies: readonly string[]
  /** The public entries: `@sdk/server`, `@sdk/server/testing`. */
  readonly entries: readonly string[]
  /** The names of its files that depend on the platform: `#node-server`. */
  readonly imports: readonly string[]
  /** Folders that its tsconfig refers to: `packages/protocol`. */
  readonly references: readonly string[]
}

/** Reads all manifests; the manifest of the workspace itself has an empty folder. */
export function readManifests(root: string): Manifest[] {
  const folders = ['packages', 'examples'].flatMap((parent) =>
    existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`) : [],
  )
  return ['', 'benchmarks', ...folders]
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const json = readJson(join(root, folder, 'package.json'))
      const name = String(json['name'])
      return {
        folder,
        name,
        dependencies: ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((kind) => keys(json[kind])),
        devDependencies: keys(json['devDependencies']),
        entries: keys(json['exports']).map((path) => join(name, path)),
        imports: keys(json['imports']),
        references: readReferences(root, folder),
      }
    })
}

function readReferences(root: string, folder: string): string[] {
  const file = join(root, folder, 'tsconfig.json')
  const references = existsSync(file) ? readJson(file)['references'] : undefined
  return Array.isArray(references) ? references.map(({ path }) => join(folder, String(path))) : []
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function keys(value: unknown): string[] {
  return Object.keys(value ?? {})
}
