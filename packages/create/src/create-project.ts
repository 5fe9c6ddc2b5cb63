import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from './failure.ts'
import { ownVersion } from './own-version.ts'

/** What `createProject` takes. */
export interface ProjectOptions {
  /** Where the project goes; it must be new or empty. */
  readonly directory: string
  /** The name in its package.json. @default the directory's */
  readonly name?: string
  /** What to write as the version of one of our packages. @default the version of this one, or a later minor */
  readonly versionOf?: (packageName: string) => string
  /** Further `overrides` of its package.json. @default {} */
  readonly overrides?: Readonly<Record<string, string>>
}

/** A project that was made. */
export interface CreatedProject {
  readonly directory: string
  readonly name: string
}

interface Manifest {
  name: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides: Record<string, string>
}

/** Writes a new project: an agent, an API and a web page. */
export function createProject(options: ProjectOptions): CreatedProject {
  const directory = resolve(options.directory)
  const name = options.name ?? toPackageName(basename(directory))
  assertPackageName(name)
  assertEmpty(directory)
  mkdirSync(directory, { recursive: true })
  cpSync(fileURLToPath(new URL('../template/default', import.meta.url)), directory, { recursive: true })
  // npm leaves out files of these names when it packs us.
  renameSync(join(directory, '_gitignore'), join(directory, '.gitignore'))
  renameSync(join(directory, '_package.json'), join(directory, 'package.json'))
  editFile(join(directory, 'package.json'), (text) => toManifest(text, { ...options, name }))
  editFile(join(directory, 'README.md'), (text) => text.replace('# app', `# ${name}`))
  return { directory, name }
}

/** A name that npm takes, as near as it gets to what a folder is called. */
export function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-._~]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
  return name === '' ? 'my-app' : name
}

function toManifest(text: string, options: ProjectOptions & { name: string }): string {
  const { name, versionOf = () => `^${ownVersion()}`, overrides = {} } = options
  const manifest = JSON.parse(text) as Manifest
  const filled = (packages: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(packages).map(([key, version]) => [key, key.startsWith('@sdk/') ? versionOf(key) : version]),
    )
  const edited: Manifest = {
    ...manifest,
    name,
    dependencies: filled(manifest.dependencies),
    devDependencies: filled(manifest.devDependencies),
    overrides: { ...manifest.overrides, ...overrides },
  }
  return `${JSON.stringify(edited, null, 2)}\n`
}

function assertPackageName(name: string): void {
  if (name.length <= 214 && /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/.test(name)) return
  throw new Failure(`${JSON.stringify(name)} is no name for a package: use a-z, 0-9 and "-"`, 2)
}

/** A repository that was just made counts as empty. */
function assertEmpty(directory: string): void {
  const found = existsSync(directory) ? readdirSync(directory).filter((entry) => entry !== '.git') : []
  if (found.length === 0) return
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  throw new Failure(`${directory} is not empty: it has ${found.slice(0, 3).join(', ')}${more}. Choose another folder.`)
}

function editFile(file: string, edit: (text: string) => string): void {
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
}
