import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Failure } from './failure.ts'

/** The fields of a `package.json` that the SDK reads. */
export interface PackageManifest {
  readonly name?: string
  readonly version?: string
  readonly main?: string
  readonly exports?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, unknown>>
  readonly resolutions?: Readonly<Record<string, unknown>>
  readonly engines?: Readonly<Record<string, string>>
}

/** Reads the `package.json` in a folder. */
export function readManifest(folder: string): PackageManifest {
  const file = join(folder, 'package.json')
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as PackageManifest
  } catch (error) {
    const message = `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`
    throw new Failure(message, { code: 'INVALID_PACKAGE_JSON', fix: 'fix the syntax error', cause: error })
  }
}

/** Returns the dependencies in a `package.json`, including development dependencies. */
export function dependenciesOf(manifest: PackageManifest): Record<string, string> {
  return { ...manifest.devDependencies, ...manifest.dependencies }
}

/** Returns the folder of a package, resolved as in Node, or null if the package is not installed. */
export function findPackage(root: string, name: string): string | null {
  const folders = createRequire(join(root, 'package.json')).resolve.paths(name) ?? []
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(join(path, 'package.json'))) ?? null
}

/** Returns the installed version of a package, or null if it is not installed. */
export function installedVersion(root: string, name: string): string | null {
  const folder = findPackage(root, name)
  return folder === null ? null : (readManifest(folder).version ?? null)
}
