import { EXIT_CODES, CreateFailure } from './failure.ts'

/** The supported package managers. */
export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

/** A supported package manager. */
export type PackageManager = (typeof packageManagers)[number]

/** Parses the name of a package manager; throws if it is unknown. */
export function parsePackageManager(text: string): PackageManager {
  const found = packageManagers.find((name) => name === text)
  if (found !== undefined) return found
  throw new CreateFailure(`unknown package manager ${JSON.stringify(text)}`, {
    fix: `choose one of: ${packageManagers.join(', ')}`,
    exitCode: EXIT_CODES.usage,
  })
}

/** Returns the package manager that started this process, by the variable that it sets. */
export function callingPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const caller = env['npm_config_user_agent']?.split('/', 1)[0]
  return packageManagers.find((name) => name === caller) ?? 'npm'
}

/** Returns the arguments to install quietly, from the cache if possible. */
export function installArguments(manager: PackageManager): string[] {
  const flags: Record<PackageManager, string[]> = {
    // The dependencies are compatible. Without this flag, npm spends most of its time on optional peers.
    npm: ['--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    pnpm: ['--prefer-offline'],
    yarn: [],
    bun: [],
  }
  return ['install', ...flags[manager]]
}

/** Returns exact versions under the `package.json` key of the package manager; for npm they are in the template. */
export function pinsFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
  hasAuth: boolean,
): object {
  if (manager === 'bun') return { overrides } // unlike npm, bun also overrides direct dependencies
  return manager === 'yarn' ? { resolutions: { ...overrides, ...(hasAuth && YARN_AUTH) } } : {}
}

/** yarn 1 chooses the newest kysely that Better Auth allows, and then rejects it on Node 20, since it needs Node 22. */
const YARN_AUTH = { kysely: '^0.28.18' }

/** Returns the files that a package manager needs in addition to `package.json`, by name. */
export function filesFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (manager === 'pnpm') return { 'pnpm-workspace.yaml': toPnpmSettings(overrides) }
  if (manager !== 'yarn') return {}
  return {
    // By default, yarn stores packages in archives, where other programs do not find them.
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    // Makes yarn treat this as a separate project, even inside another project.
    'yarn.lock': '',
  }
}

function toPnpmSettings(overrides: Readonly<Record<string, string>>): string {
  const pins = Object.entries(overrides).map(([name, version]) => `  ${toYamlString(name)}: ${toYamlString(version)}\n`)
  // esbuild works without its install script. Older and newer versions of pnpm have different names for this setting.
  const scripts = 'allowBuilds:\n  esbuild: false\nignoredBuiltDependencies:\n  - esbuild\n'
  return `packages:\n  - .\n${scripts}overrides:\n${pins.join('')}`
}

/** Returns a YAML string: a JSON string is a valid one. */
function toYamlString(text: string): string {
  return JSON.stringify(text)
}
