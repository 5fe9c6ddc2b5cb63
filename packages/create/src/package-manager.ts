import { EXIT_CODES, CreateFailure } from './failure.ts'

/** The supported package managers. */
export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

/** A supported package manager. */
export type PackageManager = (typeof packageManagers)[number]

/** Parses the name of a package manager. Throws if the name is unknown. */
export function parsePackageManager(text: string): PackageManager {
  const found = packageManagers.find((name) => name === text)
  if (found !== undefined) return found
  throw new CreateFailure(`unknown package manager ${JSON.stringify(text)}`, {
    fix: `choose one of: ${packageManagers.join(', ')}`,
    exitCode: EXIT_CODES.usage,
  })
}

/** Returns the package manager that started this process, based on the environment variable that it sets. */
export function callingPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const caller = env['npm_config_user_agent']?.split('/', 1)[0]
  return packageManagers.find((name) => name === caller) ?? 'npm'
}

/** Returns the major version of the package manager, if it started this process. */
export function callingVersion(manager: PackageManager, env: NodeJS.ProcessEnv): number | undefined {
  const [, name, version] = /^([^/ ]+)\/(\d+)/.exec(env['npm_config_user_agent'] ?? '') ?? []
  return name === manager ? Number(version) : undefined
}

/** Returns the arguments for installing packages with little output, from the cache if possible. */
export function installArguments(manager: PackageManager): string[] {
  const flags: Record<PackageManager, string[]> = {
    // The peer dependencies are known to be compatible. Without `--legacy-peer-deps`, npm spends most of its time
    // resolving optional ones.
    npm: ['--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    pnpm: ['--prefer-offline'],
    yarn: [],
    bun: [],
  }
  return ['install', ...flags[manager]]
}

/** Options for `pinsFor`. */
export interface PinOptions {
  readonly manager: PackageManager
  /** The major version of the package manager, if it is known. */
  readonly version: number | undefined
  readonly hasAuth: boolean
}

/** The last version of pnpm that reads overrides from `package.json`. Later ones print a warning. */
const LAST_PNPM_WITH_FIELD = 10

/**
 * Returns version overrides under the `package.json` key that the package manager reads. npm's overrides are already in
 * the template, and pnpm 10.5 and later read their overrides from a different file.
 */
export function pinsFor(
  overrides: Readonly<Record<string, string>>,
  { manager, version = Infinity, hasAuth }: PinOptions,
): object {
  if (manager === 'bun') return { overrides } // unlike npm, bun also overrides direct dependencies
  if (manager === 'pnpm') return version <= LAST_PNPM_WITH_FIELD ? { pnpm: { overrides } } : {}
  return manager === 'yarn' ? { resolutions: { ...overrides, ...(hasAuth && YARN_AUTH) } } : {}
}

/**
 * The version of kysely for yarn 1. Without it, yarn 1 chooses the newest version that Better Auth allows, which
 * requires Node 22, and then fails on Node 20.
 */
const YARN_AUTH = { kysely: '^0.28.18' }

/** Returns the files that a package manager needs in addition to `package.json`, keyed by name. */
export function filesFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (manager === 'pnpm') return { 'pnpm-workspace.yaml': toPnpmSettings(overrides) }
  if (manager !== 'yarn') return {}
  return {
    // By default, yarn stores packages in archives, where other programs cannot find them.
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    // An empty lockfile makes yarn treat the folder as a separate project, even inside another project.
    'yarn.lock': '',
  }
}

function toPnpmSettings(overrides: Readonly<Record<string, string>>): string {
  const pins = Object.entries(overrides).map(([name, version]) => `  ${toYamlString(name)}: ${toYamlString(version)}\n`)
  // esbuild works without its install script. Older and newer versions of pnpm use different names for this setting.
  const scripts = 'allowBuilds:\n  esbuild: false\nignoredBuiltDependencies:\n  - esbuild\n'
  return `packages:\n  - .\n${scripts}overrides:\n${pins.join('')}`
}

/** Converts text to a YAML string. Every JSON string is also a valid YAML string. */
function toYamlString(text: string): string {
  return JSON.stringify(text)
}
