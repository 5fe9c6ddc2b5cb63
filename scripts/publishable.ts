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
  /** What users may import: `@sdk/auth`, `@sdk/auth/client`. */
  readonly entries: readonly string[]
  /** The packages of the workspace that it needs, by name. */
  readonly needs: readonly string[]
}

/** A package as users get it. */
export interface Packed extends Publishable {
  readonly tarball: string
  /** The paths inside. */
  readonly files: readonly string[]
  /** Bytes of the tarball. */
  readonly size: number
  /** Bytes of the files inside. */
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

/** A package as `npm pack --json` describes it. */
interface PackResult {
  name: string
  filename: string
  size: number
  unpackedSize: number
  files: { path: string }[]
}

const PACKAGES = join(import.meta.dirname, '../packages')

/** Every package of the workspace that is not private. */
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

/** Packs every publishable package into a folder, in one run of npm. */
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
