import { findPackage, readManifest } from '../manifest.ts'

/** A package as it is installed. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** The names of its dependencies. */
  readonly needs: readonly string[]
}

/** The packages of these imports, and those that a server loads when it starts, sorted by name. */
export function findExternalPackages(root: string, imports: readonly string[]): InstalledPackage[] {
  const names = [...imports.map(packageName), ...runtimeImports(root)]
  return [...new Set(names)].toSorted().map((name) => {
    const folder = findPackage(root, name)
    const { version = '*', dependencies, peerDependencies } = folder === null ? {} : readManifest(folder)
    return { name, version, needs: Object.keys({ ...dependencies, ...peerDependencies }) }
  })
}

/** Packages that no import names: a server chooses its engine when it starts, by `REDIS_URL` and `DATABASE_URL`. */
function runtimeImports(root: string): string[] {
  const { dependencies = {} } = readManifest(root)
  return ['@sdk/redis', '@sdk/database'].filter((name) => name in dependencies)
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
