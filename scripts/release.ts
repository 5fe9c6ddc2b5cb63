/** `npm run release -- --dry-run`: checks all requirements of a release; see docs/internals/releases.md. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { checkTarball } from './check-tarball.ts'
import { type Packed, packAll } from './publishable.ts'
import { MANAGERS, type Manager } from './release/managers.ts'
import {
  defaultTag,
  findChangelogProblems,
  findVersionProblems,
  hasUnreleasedEntries,
  inDependencyOrder,
  type VersionedManifest,
} from './release/preconditions.ts'
import { publishAll, tryPublishing } from './release/publish.ts'
import { rehearse } from './release/rehearsal.ts'
import { mustRun, ReleaseError } from './release/run-command.ts'
import { formatResults, formatSizes } from './release/tables.ts'
import { build } from './run.ts'

const ROOT = join(import.meta.dirname, '..')
/** The name of the part that runs `npm ci`. */
const CLEAN_INSTALL = 'npm-ci'
const HELP = `npm run release -- [options]

Checks the tree, versions, changelog and packed packages, then publishes them with npm.
Without --dry-run or --rehearse, it publishes for real: in CI, with credentials.

  --dry-run         check everything, publish nothing
  --rehearse        publish to a registry on this machine, create an app from it with every
                    package manager, run its tests, and run npm ci in a clean clone
  --only NAMES      rehearse some parts: ${[...MANAGERS.map(({ name }) => name), CLEAN_INSTALL].join(',')}
  --tag NAME        the dist-tag; by default latest, or next for a prerelease
  --registry URL    publish to another registry than the configured one
  --no-provenance   publish without provenance, for a registry that does not support it
  --help            this text`

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const { signal } = stop

try {
  await main()
} catch (error) {
  if (!signal.aborted && !(error instanceof ReleaseError)) throw error
  console.error(signal.aborted ? '\nstopped' : `\n${styleText('red', 'error')} ${(error as ReleaseError).message}`)
  process.exitCode = signal.aborted ? 130 : 1
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) return console.log(HELP)
  toManagers(options.only)
  const isReal = !options['dry-run'] && !options.rehearse
  const { version, name } = readManifest(ROOT)
  const tag = options.tag ?? defaultTag(version)
  const registry = options.registry === undefined ? '' : ` --registry '${options.registry}'`
  const flags = `--access public --tag '${tag}' --provenance=${!options['no-provenance']}${registry}`

  progress(`Checking ${name} ${version} …`)
  const notes = await checkTree(version, { needsRepository: !options['no-provenance'] })
  if (isReal && notes.length > 0) throw new ReleaseError(`a release requires these first:\n${toList(notes)}`)
  if (isReal && !process.env['CI'])
    throw new ReleaseError(`publishing is only allowed in CI. To check a release: npm run release -- --dry-run`)
  if (!(await build())) throw new ReleaseError('the build failed: see above')
  const folder = mkdtempSync(join(tmpdir(), 'sdk-packed-'))
  try {
    const packages = await packAndCheck(folder)
    console.log(`\n${formatSizes(packages)}\n`)
    if (options.rehearse) return await runRehearsal(packages, options.only)
    progress('npm publish --dry-run …')
    await tryPublishing(packages, { cwd: ROOT, signal, flags, progress })
    if (isReal) return await publishAll(packages, { cwd: ROOT, signal, flags, progress })
    summarize({ packages, version, flags, notes })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Options = ReturnType<typeof readOptions>

function readOptions() {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const options = {
    'dry-run': flag,
    rehearse: flag,
    'no-provenance': flag,
    help: flag,
    only: text,
    tag: text,
    registry: text,
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    throw new ReleaseError(`${(error as Error).message}\n\n${HELP}`)
  }
}

/** Returns the package managers that `--only` selects. */
function toManagers(only: Options['only']): readonly Manager[] {
  if (only === undefined) return MANAGERS
  const names = only.split(',').filter((name) => name !== CLEAN_INSTALL)
  return names.map((wanted) => {
    const manager = MANAGERS.find(({ name }) => name === wanted)
    if (manager === undefined)
      throw new ReleaseError(`--only must name parts of the rehearsal, got ${wanted}\n\n${HELP}`)
    return manager
  })
}

/** Throws if the repository is not ready. Returns the requirements that only a real release has. */
async function checkTree(version: string, { needsRepository }: { needsRepository: boolean }): Promise<string[]> {
  const { output } = await mustRun('git status --porcelain', { cwd: ROOT, signal })
  const changed = output.trim()
  const folders = readdirSync(join(ROOT, 'packages')).map((folder) => join(ROOT, 'packages', folder))
  const manifests = folders.map(readManifest)
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const problems = [
    ...(changed === '' ? [] : [`the tree has changes: commit or stash them\n${changed.replaceAll(/^/gm, '      ')}`]),
    ...findVersionProblems(version, manifests),
    ...findChangelogProblems(version, changelog),
  ]
  if (problems.length > 0) throw new ReleaseError(`the repository is not ready for a release:\n${toList(problems)}`)
  const withoutRepository = manifests.filter((manifest) => !manifest.private && manifest.repository === undefined)
  return [
    ...(hasUnreleasedEntries(changelog)
      ? [`CHANGELOG.md has entries under [Unreleased]: move them below the heading of a version`]
      : []),
    ...(needsRepository && withoutRepository.length > 0
      ? [`provenance needs "repository" in the package.json of ${withoutRepository.map(({ name }) => name).join(', ')}`]
      : []),
  ]
}

async function packAndCheck(folder: string): Promise<Packed[]> {
  progress('Packing, and checking the tarballs with publint and attw …')
  const packages = await packAll(folder)
  const problems = (await Promise.all(packages.map(checkTarball))).flat()
  if (problems.length > 0) throw new ReleaseError(`the tarballs have problems:\n${toList(problems)}`)
  return packages
}

async function runRehearsal(packages: Packed[], only: Options['only']): Promise<void> {
  const withCleanInstall = only === undefined || only.split(',').includes(CLEAN_INSTALL)
  const managers = toManagers(only)
  const results = await rehearse({ root: ROOT, packages, managers, withCleanInstall, signal, progress })
  const failed = results.filter(({ failure }) => failure !== null)
  for (const { name, failure } of failed) console.log(`\n${styleText('red', `${name} failed:`)}\n${failure}`)
  console.log(`\n${formatResults(results)}\n`)
  if (failed.length > 0) throw new ReleaseError(`failed: ${failed.map(({ name }) => name).join(', ')}`)
  console.log('The rehearsal succeeded.')
}

interface Summary {
  readonly packages: readonly Packed[]
  readonly version: string
  readonly flags: string
  readonly notes: readonly string[]
}

function summarize({ packages, version, flags, notes }: Summary): void {
  console.log(`\n${version} passed all checks. Without --dry-run, this would run, in this order:\n`)
  for (const { name } of inDependencyOrder(packages)) console.log(`  npm publish <tarball of ${name}> ${flags}`)
  if (notes.length > 0) console.log(`\nA release also requires:\n${toList(notes)}`)
}

type Manifest = VersionedManifest & { readonly private?: boolean; readonly repository?: unknown }

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function toList(lines: readonly string[]): string {
  return lines.map((line) => `  - ${line}`).join('\n')
}

function progress(line: string): void {
  console.log(styleText('dim', line))
}
