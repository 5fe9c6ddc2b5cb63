import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A package that users install. */
export interface Publishable {
  readonly name: string
  readonly version: string
  /** Its folder in the workspace. */
  readonly folder: string
  /** The entry points that users import: `@sdk/auth`, `@sdk/auth/client`. */
  readonly entries: readonly string[]
  /** The names of the workspace packages that it depends on. */
  readonly needs: readonly string[]
}

/** A packed package. */
export interface Packed extends Publishable {
  readonly tarball: string
  /** The paths inside the tarball. */
  readonly files: readonly string[]
  /** The size of the tarball in bytes. */
  readonly size: number
  /** The size of its files in bytes. */
  readonly unpackedSize: number
}

interface Manifest {
  name: string
  version: string
  private?: boolean
  exports?: Record<string, unknown>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** A package in the output of `npm pack --json`. */
interface PackResult {
  name: string
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

const PACKAGES = join(import.meta.dirname, '../packages')

/** Returns all packages of the workspace that are not private. */
export function readPublishable(): Publishable[] {
  return readdirSync(PACKAGES).flatMap((room) => {
    const folder = join(PACKAGES, room)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    if (manifest.private) return []
    const { name, version, exports = {}, dependencies, peerDependencies } = manifest
    const needs = Object.keys({ ...dependencies, ...peerDependencies }).filter((need) => need.startsWith('@sdk/'))
    const paths = Object.keys(exports).filter((path) => path !== './package.json')
    return [{ name, version, folder, entries: paths.map((path) => join(name, path)), needs }]
  })
}

/** Packs all publishable packages into a folder with one npm command. */
export async function packAll(destination: string): Promise<Packed[]> {
  mkdirSync(destination, { recursive: true })
  const packages = readPublishable()
  const workspaces = packages.map(({ name }) => `--workspace=${name}`)
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...workspaces],
    { cwd: join(PACKAGES, '..'), maxBuffer: 64 * 1024 * 1024 },
  )
  const packed = JSON.parse(stdout) as PackResult[]
  return packages.map((pkg) => {
    const found = packed.find(({ name }) => name === pkg.name)
    if (!found) throw new Error(`npm did not pack ${pkg.name}`)
    const { filename, files, size, unpackedSize } = found
    return { ...pkg, tarball: join(destination, filename), files: files.map(({ path }) => path), size, unpackedSize }
  })
}
