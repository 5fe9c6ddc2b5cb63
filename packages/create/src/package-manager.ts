import { EXIT, Failure } from './failure.ts'

/** The programs that can install an app. */
export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

/** A program that can install an app. */
export type PackageManager = (typeof packageManagers)[number]

/** Does this name one of them? */
export function parsePackageManager(text: string): PackageManager {
  const found = packageManagers.find((name) => name === text)
  if (found !== undefined) return found
  throw new Failure(`there is no package manager ${JSON.stringify(text)} that we know`, {
    fix: `choose one of: ${packageManagers.join(', ')}`,
    exitCode: EXIT.usage,
  })
}

/** The one that started us says so in its environment. */
export function callingPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const caller = env['npm_config_user_agent']?.split('/', 1)[0]
  return packageManagers.find((name) => name === caller) ?? 'npm'
}

/** How it installs: quietly, and from its cache where it can. */
export function installArguments(manager: PackageManager): string[] {
  const flags: Record<PackageManager, string[]> = {
    // The peers of what we name get along; to look at all that are optional takes npm most of its time.
    npm: ['--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    pnpm: ['--prefer-offline'],
    yarn: [],
    bun: [],
  }
  return ['install', ...flags[manager]]
}

/** Versions that must be exactly these, where it looks for them in `package.json`; for npm they are there already. */
export function pinsFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
  hasAuth: boolean,
): object {
  if (manager === 'bun') return { overrides } // unlike npm it overrides what is named as a dependency, too
  return manager === 'yarn' ? { resolutions: { ...overrides, ...(hasAuth && YARN_AUTH) } } : {}
}

/** Of what Better Auth takes, yarn 1 chooses the newest and then refuses it, since that needs Node 22; npm does not. */
const YARN_AUTH = { kysely: '^0.28.18' }

/** The files that a package manager needs beside `package.json`, by their names. */
export function filesFor(
  manager: PackageManager,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (manager === 'pnpm') return { 'pnpm-workspace.yaml': toPnpmSettings(overrides) }
  if (manager !== 'yarn') return {}
  return {
    // Its default keeps packages in archives, where nothing but yarn finds them.
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    // By this it knows a project of its own inside the folder of another.
    'yarn.lock': '',
  }
}

function toPnpmSettings(overrides: Readonly<Record<string, string>>): string {
  const pins = Object.entries(overrides).map(([name, version]) => `  ${quote(name)}: ${quote(version)}\n`)
  // esbuild works without its script; newer and older versions want to be told so by different names.
  const scripts = 'allowBuilds:\n  esbuild: false\nignoredBuiltDependencies:\n  - esbuild\n'
  return `packages:\n  - .\n${scripts}overrides:\n${pins.join('')}`
}

/** JSON is YAML. */
function quote(text: string): string {
  return JSON.stringify(text)
}
