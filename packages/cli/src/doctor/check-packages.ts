import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { dependenciesOf, findPackage, installedVersion, readManifest, type PackageManifest } from '../manifest.ts'
import { managerCommands, packageManagerOf } from '../package-manager.ts'
import { toFindings, type DoctorCheck, type Finding } from './finding.ts'

/** The oldest Node version that Vite and the SDK support. */
const OLDEST_NODE = [20, 19] as const

/** The depth to which `node_modules` folders are searched for copies of a package. */
const SEARCH_DEPTH = 5

/** The last Rolldown version with a binary for every platform. */
const ROLLDOWN_VERSION = '1.2.18'

/** Checks that Node is new enough. */
export function checkNode(version: string = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return []
  return toFindings('NODE_TOO_OLD', 'error', {
    message: `the SDK requires Node ${OLDEST_NODE.join('.')} or newer, got ${version}`,
    place: process.execPath,
    fix: 'install a newer version from https://nodejs.org or with your version manager',
  })
}

/** Checks that all dependencies are installed. */
export const checkInstalled: DoctorCheck = ({ root, manifest }) =>
  Object.keys(dependenciesOf(manifest))
    .filter((name) => findPackage(root, name) === null)
    .map((name) => ({
      code: 'PACKAGE_MISSING',
      level: 'error',
      message: `${name} is in package.json, but is not installed`,
      place: 'package.json',
      fix: managerCommands(root).install,
    }))

/** Checks that there is only one copy of React and of each SDK package, since copies do not share state. */
export const checkCopies: DoctorCheck = ({ root, manifest }) => {
  const own = Object.keys(dependenciesOf(manifest)).filter((name) => name.startsWith('@sdk/'))
  const { why, dedupe } = managerCommands(root)
  return ['react', 'react-dom', ...own].flatMap((name): Finding[] => {
    const copies = findCopies(root, name)
    if (copies.length < 2) return []
    const all = copies.map(({ folder, version }) => `${version} in ${relative(root, folder)}`)
    return toFindings('DUPLICATE_PACKAGE', 'error', {
      message: `${name} is installed ${copies.length} times, and the copies do not share state: ${all.join(', ')}`,
      place: `node_modules/${name}`,
      fix: `${why} ${name} shows which package needs which version; use one version, then run ${dedupe}`,
    })
  })
}

/** Checks that all SDK packages have the same version, since they are tested and released together. */
export const checkVersions: DoctorCheck = ({ root, manifest }) => {
  const names = Object.keys(dependenciesOf(manifest)).filter((name) => name.startsWith('@sdk/'))
  const versions = new Map(
    names.flatMap((name) => [[name, installedVersion(root, name)] as const]).filter(([, at]) => at),
  )
  if (new Set(versions.values()).size < 2) return []
  const all = [...versions].map(([name, version]) => `${name} ${version}`)
  return toFindings('VERSIONS_DIFFER', 'error', {
    message: `the @sdk packages have different versions: ${all.join(', ')}`,
    place: 'package.json',
    fix: `${managerCommands(root).add} ${[...versions.keys()].map((name) => `${name}@latest`).join(' ')}`,
  })
}

/** Checks that the installed bundler has a binary for every platform. */
export const checkRolldown: DoctorCheck = ({ root, manifest }) => {
  const version = installedVersion(root, 'rolldown')
  if (version === null || version === ROLLDOWN_VERSION) return []
  const message = `rolldown ${version} lacks binaries for some platforms`
  const manager = packageManagerOf(root)
  const then = `then run ${managerCommands(root).install}`
  if (manager === 'pnpm') {
    const fix = `add rolldown: ${ROLLDOWN_VERSION} to overrides in pnpm-workspace.yaml, ${then}`
    return toFindings('ROLLDOWN_UNPINNED', 'warning', { message, place: 'pnpm-workspace.yaml', fix })
  }
  const key = manager === 'yarn' ? 'resolutions' : 'overrides'
  if (manifest[key]?.['rolldown'] !== undefined) return []
  return toFindings('ROLLDOWN_UNPINNED', 'warning', {
    message,
    place: 'package.json',
    fix: `add "${key}": { "rolldown": "${ROLLDOWN_VERSION}" } to package.json, ${then}`,
    repair: () => pinRolldown(root, key),
  })
}

function pinRolldown(root: string, key: 'overrides' | 'resolutions'): void {
  const file = join(root, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as PackageManifest
  const pinned = { ...manifest, [key]: { ...manifest[key], rolldown: ROLLDOWN_VERSION } }
  writeFileSync(file, `${JSON.stringify(pinned, null, 2)}\n`)
}

/** Returns all copies of a package that a project could load, nearest first. */
function findCopies(root: string, name: string): { folder: string; version: string }[] {
  const tops = (createRequire(join(root, 'package.json')).resolve.paths(name) ?? []).filter((top) => existsSync(top))
  const folders = tops.flatMap((top) => [...copiesInFolder(top, name, SEARCH_DEPTH), ...copiesInStore(top, name)])
  const copies = new Map<string, { folder: string; version: string }>()
  for (const folder of folders) {
    const real = realpathSync(folder)
    if (!copies.has(real)) copies.set(real, { folder, version: readManifest(folder).version ?? 'unknown' })
  }
  return [...copies.values()]
}

function copiesInFolder(modules: string, name: string, depth: number): string[] {
  if (depth === 0 || !existsSync(modules)) return []
  const here = existsSync(join(modules, name, 'package.json')) ? [join(modules, name)] : []
  const inner = packagesIn(modules).flatMap((folder) => copiesInFolder(join(folder, 'node_modules'), name, depth - 1))
  return [...here, ...inner]
}

/** Returns the packages in a `node_modules` folder, except linked packages, which have their own dependencies. */
function packagesIn(modules: string): string[] {
  return readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const folder = join(modules, entry.name)
      if (!entry.name.startsWith('@')) return [folder]
      const scoped = readdirSync(folder, { withFileTypes: true }).filter((inner) => inner.isDirectory())
      return scoped.map((inner) => join(folder, inner.name))
    })
}

/** Returns the copies in pnpm's virtual store, which has a folder for each version of a package. */
function copiesInStore(modules: string, name: string): string[] {
  const store = join(modules, '.pnpm')
  if (!existsSync(store)) return []
  return readdirSync(store)
    .filter((entry) => entry.startsWith(`${name.replace('/', '+')}@`))
    .map((entry) => join(store, entry, 'node_modules', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}

/** All package checks. */
export const packageChecks: readonly DoctorCheck[] = [
  () => checkNode(),
  checkInstalled,
  checkCopies,
  checkVersions,
  checkRolldown,
]
