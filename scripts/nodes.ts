import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capture } from './run.ts'

/** An installed Node version. */
export interface InstalledNode {
  /** The value of `process.version`. */
  readonly version: string
  /** The path of its executable. */
  readonly path: string
}

const CACHE = fileURLToPath(new URL('../node_modules/.cache/nodes', import.meta.url))

/** Returns the newest Node of a major version, or the running one. npm installs it on first use. */
export async function installNode(major: number): Promise<InstalledNode> {
  if (process.version.startsWith(`v${major}.`)) return { version: process.version, path: process.execPath }
  const folder = join(CACHE, String(major))
  const path = join(folder, 'node_modules', PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  await installPackages(folder, [{ name: PACKAGE, version: String(major) }])
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim()
  if (!version.startsWith(`v${major}.`)) throw new Error(`${path} must be Node ${major}, got ${version}`)
  return { version, path }
}

/** The versions of the other runtimes. */
const OTHERS = { bun: '1.4.4', deno: '2.9.6' }

/** Returns the paths of Bun and Deno. npm installs them on first use. */
export async function installOtherRuntimes(): Promise<Record<keyof typeof OTHERS, string>> {
  const folder = join(CACHE, 'others')
  const libc = process.platform === 'linux' ? '-glibc' : ''
  const bun = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
  const deno = `@deno/${process.platform}-${process.arch}${libc}`
  await installPackages(folder, [
    { name: bun, version: OTHERS.bun },
    { name: deno, version: OTHERS.deno },
  ])
  const paths = { bun: join(folder, 'node_modules', bun, 'bin/bun'), deno: join(folder, 'node_modules', deno, 'deno') }
  for (const path of Object.values(paths)) chmodSync(path, 0o755)
  return paths
}

/** Returns an environment in which programs and their child processes run on this Node. */
export function onNode({ version, path }: InstalledNode): Record<string, string> {
  return {
    PATH: dirname(path) + delimiter + (process.env['PATH'] ?? ''),
    // npm passes these variables to the programs that it starts.
    NODE: path,
    npm_node_execpath: path,
    [NODE_VARIABLE]: version,
  }
}

/** The environment variable with the version that the tests check. */
export const NODE_VARIABLE = 'SDK_TEST_NODE'

/** The platform package that npm's `node` package would install with a script. */
const PACKAGE = [
  process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node',
  process.platform === 'win32' ? 'win' : process.platform,
  process.arch,
].join('-')

/**
 * Installs packages into a separate folder on first use, so that our package.json and lockfile do not change. Several
 * processes may do so at the same time: the folder appears when it is complete.
 */
export async function installPackages(folder: string, packages: readonly Dependency[]): Promise<void> {
  const isComplete = (): boolean => packages.every(({ name }) => existsSync(join(folder, 'node_modules', name)))
  if (isComplete()) return
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), '{ "private": true }\n')
  const flags = '--ignore-scripts --no-package-lock --no-audit --no-fund --engine-strict=false'
  const names = packages.map(({ name, version }) => `${name}@${version}`).join(' ')
  const { code, output } = await capture(`npm install --prefix '${draft}' ${flags} ${names}`)
  if (code !== 0) throw new Error(`npm could not install ${names}:\n${output}`)
  if (isComplete()) return rmSync(draft, { recursive: true }) // another process was faster
  rmSync(folder, { recursive: true, force: true }) // an installation of other packages
  renameSync(draft, folder)
}

interface Dependency {
  readonly name: string
  readonly version: string
}
