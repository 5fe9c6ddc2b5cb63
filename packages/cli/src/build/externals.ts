import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A package as it is installed. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** What it depends on, by name. */
  readonly needs: readonly string[]
}

interface ExternalManifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The packages of these imports, and those that a server loads when it starts, sorted by name. */
export function findExternalPackages(root: string, imports: readonly string[]): InstalledPackage[] {
  const require = createRequire(join(root, 'package.json'))
  const names = [...imports.map(packageName), ...runtimeImports(root)]
  return [...new Set(names)].toSorted().map((name) => {
    const { version = '*', dependencies, peerDependencies } = readExternalManifest(require, name)
    return { name, version, needs: Object.keys({ ...dependencies, ...peerDependencies }) }
  })
}

/** Packages that no import names: a server chooses its engine when it starts, by `REDIS_URL` and `DATABASE_URL`. */
function runtimeImports(root: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as ExternalManifest
  return ['@sdk/redis', '@sdk/database'].filter((name) => name in dependencies)
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function readExternalManifest(require: NodeJS.Require, name: string): ExternalManifest {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as ExternalManifest
    } catch {
      continue // not in this folder
    }
  }
  return {}
}
