import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { CreateFailure } from './failure.ts'
import { packageVersion } from './package-version.ts'
import { filesFor, type PackageManager, pinsFor } from './package-manager.ts'
import { assertPackageName, toPackageName } from './package-name.ts'
import { copyTarballs, type Tarball } from './tarballs.ts'
import { foldersOf, type TemplateName } from './templates.ts'

/** Options for `createProject`. */
export interface ProjectOptions {
  /** The project's folder, which must be new or empty. */
  readonly directory: string
  /** The name in `package.json`. @default based on the folder's name */
  readonly name?: string
  /** The template to use. @default 'default' */
  readonly template?: TemplateName
  /** The package manager that will install the project's packages. @default 'npm' */
  readonly packageManager?: PackageManager
  /** The major version of the package manager. @default the newest */
  readonly packageManagerVersion?: number
  /** Package files that are copied into the project and used instead of packages from the registry. @default [] */
  readonly tarballs?: readonly Tarball[]
}

/** A created project. */
export interface CreatedProject {
  readonly directory: string
  readonly name: string
}

interface TemplateManifest {
  name: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  overrides: Record<string, string>
}

const FILES_WITH_NAME = ['README.md', 'AGENTS.md', 'deploy/app.service']

/** Creates a new project. All options are validated before anything is written. */
export function createProject(options: ProjectOptions): CreatedProject {
  const directory = resolve(options.directory)
  const { name = toPackageName(basename(directory)), template = 'default', packageManager = 'npm' } = options
  assertPackageName(name)
  assertEmpty(directory)
  mkdirSync(directory, { recursive: true })
  for (const folder of foldersOf(template)) cpSync(folder, directory, { recursive: true })
  // When npm packs this package, it omits or changes `.gitignore` and `package.json` files. Their names in the
  // template therefore start with `_`.
  for (const file of ['gitignore', 'package.json'])
    renameSync(join(directory, `_${file}`), join(directory, file === 'gitignore' ? '.gitignore' : file))
  const versions = copyTarballs(options.tarballs ?? [], directory)
  const manifest = join(directory, 'package.json')
  const { overrides, dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as TemplateManifest
  const pins = { ...overrides, ...Object.fromEntries(versions) }
  const own = pinsFor(pins, {
    manager: packageManager,
    version: options.packageManagerVersion,
    hasAuth: '@sdk/auth' in dependencies,
  })
  if (packageManager === 'yarn') appendFileSync(join(directory, '.gitignore'), '.yarn/install-state.gz\n')
  for (const [file, text] of Object.entries(filesFor(packageManager, pins))) writeFileSync(join(directory, file), text)
  editFile(manifest, (text) => fillManifest(text, { name, pins: own, versions }))
  for (const file of FILES_WITH_NAME) editFile(join(directory, file), (text) => text.replaceAll('{{name}}', name))
  return { directory, name }
}

interface ManifestValues {
  readonly name: string
  /** The version overrides, in the package manager's format. */
  readonly pins: object
  /** The versions of SDK packages that do not come from the registry. */
  readonly versions: ReadonlyMap<string, string>
}

function fillManifest(text: string, { name, pins, versions }: ManifestValues): string {
  const manifest = JSON.parse(text) as TemplateManifest
  const filled = (packages: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(packages).map(([key, version]) => [key, key.startsWith('@sdk/') ? versionOf(key) : version]),
    )
  const versionOf = (key: string): string => versions.get(key) ?? `^${packageVersion()}`
  const [dependencies, devDependencies] = [filled(manifest.dependencies), filled(manifest.devDependencies)]
  // With overrides, indirect SDK dependencies are also installed from files. npm rejects overrides for direct ones.
  const unnamed = [...versions].filter(([key]) => !(key in dependencies) && !(key in devDependencies))
  const overrides = { ...manifest.overrides, ...Object.fromEntries(unnamed) }
  const edited = { ...manifest, name, dependencies, devDependencies, overrides, ...pins }
  return `${JSON.stringify(edited, null, 2)}\n`
}

/** Throws if the folder is not empty. A `.git` folder is ignored. */
function assertEmpty(directory: string): void {
  const found = existsSync(directory) ? readdirSync(directory).filter((entry) => entry !== '.git') : []
  if (found.length === 0) return
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  throw new CreateFailure(`${directory} is not empty: it contains ${found.slice(0, 3).join(', ')}${more}`, {
    fix: 'choose another folder; nothing was changed',
  })
}

function editFile(file: string, edit: (text: string) => string): void {
  if (existsSync(file)) writeFileSync(file, edit(readFileSync(file, 'utf8')))
}
