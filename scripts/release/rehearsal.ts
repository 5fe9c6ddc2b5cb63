import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Packed } from '../publishable.ts'
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts'
import { findMissingPackage, type Manager, registryEnv } from './managers.ts'
import { publishAll } from './publish.ts'
import { lastLines, mustRun, runCommand } from './run-command.ts'

/** The result of one part of a rehearsal: a row of the table. */
export interface RehearsalResult {
  readonly name: string
  readonly version: string
  /** Null if the part has no such step, or failed before it. */
  readonly createSeconds: number | null
  readonly testSeconds: number | null
  /** The last lines of the failed command's output; null if all commands succeeded. */
  readonly failure: string | null
  /** The third-party package that the configured registry lacks, if that caused the failure. */
  readonly missing: string | null
}

/** Options for `rehearse`. */
export interface RehearsalOptions {
  readonly root: string
  readonly packages: readonly Packed[]
  readonly managers: readonly Manager[]
  /** Whether to run `npm ci` in a clean clone. */
  readonly withCleanInstall: boolean
  readonly signal: AbortSignal
  progress(line: string): void
}

/** Publishes to a local registry, creates an app from it with each package manager, and runs the app's tests. */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalResult[]> {
  const { root, packages, managers, withCleanInstall, signal, progress } = options
  const folder = mkdtempSync(join(tmpdir(), 'sdk-release-'))
  let registry: LocalRegistry | undefined
  try {
    const { output } = await mustRun('npm config get registry --workspaces=false 2>/dev/null', { cwd: root, signal })
    progress('Installing and starting a local registry …')
    const upstream = output.trim()
    registry = await startLocalRegistry({ folder: join(folder, 'registry'), upstream, signal })
    progress(`Publishing ${packages.length} packages to ${registry.url} …`)
    const env = registryEnv(registry.url, makeHome(join(folder, 'publisher'), registry.url))
    await publishAll(packages, { cwd: folder, env, signal, flags: '--tag latest --provenance=false', progress })
    const results: RehearsalResult[] = []
    for (const manager of managers) {
      const result = await rehearseManager(manager, { ...options, folder, registry: registry.url })
      results.push({ ...result, missing: await confirmMissing(result, upstream) })
    }
    if (withCleanInstall) results.push(await rehearseCleanInstall({ ...options, folder }))
    return results
  } finally {
    registry?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs `npm ci` in a clean clone of HEAD with an empty cache; the clone must stay clean. */
async function rehearseCleanInstall(options: RehearsalOptions & { folder: string }): Promise<RehearsalResult> {
  const { root, folder, signal, progress } = options
  progress('npm ci in a clean clone with an empty cache …')
  const clone = join(folder, 'clone')
  await mustRun(`git clone --quiet '${root}' '${clone}'`, { cwd: folder, signal })
  const env = { npm_config_cache: join(folder, 'empty-cache') }
  const command = 'npm ci && git status --porcelain && test -z "$(git status --porcelain)"'
  const { code, output, seconds } = await runCommand(command, { cwd: clone, env, signal })
  const failure = code === 0 ? null : lastLines({ output })
  return {
    name: 'npm ci',
    version: await npmVersion(options),
    createSeconds: seconds,
    testSeconds: null,
    failure,
    missing: null,
  }
}

async function rehearseManager(
  manager: Manager,
  options: RehearsalOptions & { folder: string; registry: string },
): Promise<RehearsalResult> {
  const { folder, registry, signal, progress } = options
  const cwd = join(folder, manager.name)
  mkdirSync(cwd)
  const tools = join(folder, `${manager.name}-program`)
  const home = makeHome(join(folder, `${manager.name}-home`), registry)
  const path = [join(tools, 'node_modules/.bin'), pathWithoutWorkspace(options.root)].join(delimiter)
  const env = { ...registryEnv(registry, home), PATH: path }
  const result = {
    name: manager.name,
    version: '',
    createSeconds: null,
    testSeconds: null,
    failure: null,
    missing: null,
  }

  if (manager.install !== undefined) {
    progress(`Installing ${manager.install} …`)
    const installed = await runCommand(installCommand(tools, manager.install), { cwd: folder, signal })
    if (installed.code !== 0) return { ...result, failure: lastLines(installed) }
  }
  const program = manager.create.split(' ', 1)[0]
  const version = (await mustRun(`${program} --version`, { cwd, env, signal })).output.trim().split('\n').at(-1) ?? ''
  progress(`${manager.create} (${program} ${version}) …`)
  const created = await runCommand(manager.create, { cwd, env, signal })
  const app = join(cwd, 'my-app')
  if (created.code !== 0 || !existsSync(join(app, 'node_modules'))) {
    progress(`  FAILED after ${created.seconds.toFixed(1)} s`)
    return { ...result, version, createSeconds: created.seconds, failure: lastLines(created) }
  }
  progress(`  created in ${created.seconds.toFixed(1)} s; ${manager.test} …`)
  const tested = await runCommand(manager.test, { cwd: app, env, signal })
  const failure = tested.code === 0 ? null : lastLines(tested)
  progress(`  tests ${failure === null ? 'passed' : 'FAILED'} in ${tested.seconds.toFixed(1)} s`)
  // Each app is large, so keep only one at a time.
  rmSync(cwd, { recursive: true, force: true, maxRetries: 5 })
  return { ...result, version, createSeconds: created.seconds, testSeconds: tested.seconds, failure }
}

/** Returns the package that was not found if the configured registry does not have it either. */
async function confirmMissing({ failure }: RehearsalResult, upstream: string): Promise<string | null> {
  const found = findMissingPackage(failure ?? '')
  if (found === null || found.startsWith('@sdk/')) return null
  const { status } = await fetch(new URL(found.replace(/^(@[^/]+)\//, '$1%2f'), upstream))
  return status === 404 ? found.replace(/\/([^/]+)$/, '@$1') : null
}

function installCommand(folder: string, name: string): string {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  return `npm install --prefix '${folder}' --no-audit --no-fund ${name}`
}

/** Creates a home folder whose settings name the registry. npm publishes only with a token, which verdaccio ignores. */
function makeHome(home: string, registry: string): string {
  mkdirSync(join(home, '.global/bin'), { recursive: true })
  writeFileSync(join(home, '.npmrc'), `registry=${registry}\n${registry.replace('http:', '')}:_authToken=rehearsal\n`)
  return home
}

/** Removes the programs of the workspace from the path: npm adds them, and users do not have them. */
function pathWithoutWorkspace(root: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.filter((folder) => !folder.startsWith(root) && !folder.includes('node-gyp-bin')).join(delimiter)
}

async function npmVersion({ root, signal }: RehearsalOptions): Promise<string> {
  return (await mustRun('npm --version 2>/dev/null', { cwd: root, signal })).output.trim()
}
