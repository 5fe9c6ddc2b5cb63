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

/** Where it looks for versions that must be exactly these; npm and bun read `overrides`, which is always written. */
export function pinsFor(manager: PackageManager, overrides: Readonly<Record<string, string>>): object {
  if (manager === 'pnpm') return { pnpm: { overrides } }
  return manager === 'yarn' ? { resolutions: overrides } : {}
}
