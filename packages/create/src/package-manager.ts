import { EXIT_CODES, CreateFailure } from './failure.ts'

/** The programs that can install an app. */
export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

/** A program that can install an app. */
export type PackageManager = (typeof packageManagers)[number]

/** The package manager of this name; throws where there is none. */
export function parsePackageManager(text: string): PackageManager {
  const found = packageManagers.find((name) => name === text)
  if (found !== undefined) return found
  throw new CreateFailure(`unknown package manager ${JSON.stringify(text)}`, {
    fix: `choose one of: ${packageManagers.join(', ')}`,
    exitCode: EXIT_CODES.usage,
  })
}

/** The package manager that started us, by the variable that it sets. */
export function callingPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const caller = env['npm_config_user_agent']?.split('/', 1)[0]
  return packageManagers.find((name) => name === caller) ?? 'npm'
}

/** The arguments to install quietly, and from the cache where possible. */
export function installArguments(manager: PackageManager): string[] {
  const flags: Record<PackageManager, string[]> = {
    // Our dependencies fit together. Without this flag, npm spends most of its time on optional peers.
    npm: ['--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    pnpm: ['--prefer-offline'],
    yarn: [],
    bun: [],
  }
  return ['install', ...flags[manager]]
}

/** Exact versions, under the key of `package.json` that the package manager reads. For npm they are there already. */
export function pinsFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
  hasAuth: boolean,
): object {
  if (manager === 'bun') return { overrides } // unlike npm, bun also overrides direct dependencies
  return manager === 'yarn' ? { resolutions: { ...overrides, ...(hasAuth && YARN_AUTH) } } : {}
}

/** yarn 1 chooses the newest kysely that Better Auth allows, and then refuses it on Node 20, as that needs Node 22. */
const YARN_AUTH = { kysely: '^0.28.18' }

/** The files that a package manager needs beside `package.json`, by their names. */
export function filesFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (manager === 'pnpm') return { 'pnpm-workspace.yaml': toPnpmSettings(overrides) }
  if (manager !== 'yarn') return {}
  return {
    // By default, yarn keeps packages in archives, where other programs do not find them.
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    // Makes yarn treat this as a project of its own, even inside of another project.
    'yarn.lock': '',
  }
}

function toPnpmSettings(overrides: Readonly<Record<string, string>>): string {
  const pins = Object.entries(overrides).map(([name, version]) => `  ${toYamlString(name)}: ${toYamlString(version)}\n`)
  // esbuild works without its install script. Older and newer versions of pnpm have different names for this setting.
  const scripts = 'allowBuilds:\n  esbuild: false\nignoredBuiltDependencies:\n  - esbuild\n'
  return `packages:\n  - .\n${scripts}overrides:\n${pins.join('')}`
}

/** A JSON string is a valid YAML string. */
function toYamlString(text: string): string {
  return JSON.stringify(text)
}
