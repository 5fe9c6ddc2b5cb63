import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The fields of an entry of package-lock.json that are read or written here. */
export interface LockEntry {
  version?: string
  resolved?: string
  integrity?: string
  cpu?: string[]
  dev?: boolean
  devOptional?: boolean
  libc?: string[]
  license?: string
  link?: boolean
  optional?: boolean
  os?: string[]
  engines?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** The part of package-lock.json that is read or written here: entries by their folder, `node_modules/zod`. */
export interface Lockfile {
  packages: Record<string, LockEntry>
}

/** An optional dependency that a package declares. */
export interface OptionalDependency {
  readonly name: string
  /** The declared version or range. */
  readonly range: string
  /** The entry of the package that declares it. */
  readonly parent: string
}

/** The path of the workspace's lockfile. */
export const LOCKFILE: string = join(import.meta.dirname, '../package-lock.json')

/** Reads the lockfile of the workspace. */
export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(LOCKFILE, 'utf8')) as Lockfile
}

/** Returns the optional dependencies without an entry. `npm ci` fails if one is missing, for any platform. */
export function missingDependencies({ packages }: Lockfile): OptionalDependency[] {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .map(([name, range]) => ({ name, range, parent }))
      .filter((dependency) => !hasEntry(packages, dependency)),
  )
}

/** Removes entries of optional dependencies without a checksum, since the registry did not have their packages. */
export function removeUnverified({ packages }: Lockfile): void {
  for (const [path, { optional, link, integrity }] of Object.entries(packages)) {
    if (optional && !link && integrity === undefined && path.includes('node_modules/')) delete packages[path]
  }
}

/** Adds an entry where npm would: at the top if that path is free, else below its parent. */
export function addEntry({ packages }: Lockfile, { name, parent }: OptionalDependency, entry: LockEntry): void {
  const top = `node_modules/${name}`
  const { dev, devOptional } = packages[parent] ?? {}
  const { version, integrity, cpu, libc, license, os, engines } = entry
  // Use npm's order; otherwise the next `npm install` would change the file.
  const fields = { version, integrity, cpu, dev, devOptional, libc, license, optional: true, os, engines }
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  packages[top in packages ? `${parent}/${top}` : top] = Object.fromEntries(known)
}

/** Returns the text of a lockfile, with entries in npm's order. */
export function toLockfileText(lockfile: Lockfile): string {
  const packages = Object.entries(lockfile.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  return `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) }, null, 2)}\n`
}

const SYSTEMS = 'aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32'
const PROCESSORS = 'arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64'
const PLATFORM = new RegExp(`(${SYSTEMS})-(${PROCESSORS})(?:-(eabi|gnu|musl|msvc)\\w*)?$`)

/** Returns the platform at the end of a package name, as in `binding-linux-arm64-musl`. */
export function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? []
  if (os === undefined || cpu === undefined) {
    throw new Error(`${name} does not end with a known platform: add it to scripts/lockfile.ts`)
  }
  const libc = { gnu: ['glibc'], musl: ['musl'] }[abi ?? '']
  return { os: [os], cpu: [cpu], ...(os === 'linux' && libc && { libc }) }
}

/** Looks up a package as Node does: below the parent, then in each folder above. */
function hasEntry(packages: Lockfile['packages'], { name, range, parent }: OptionalDependency): boolean {
  for (let folder = parent; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const entry = packages[join(folder, 'node_modules', name)]
    if (entry !== undefined) return !isExact(range) || entry.version === range
    if (folder === '') return false
  }
}

/** Returns whether a range is a single version, as it is for platform bindings. */
export function isExact(range: string): boolean {
  return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(range)
}
