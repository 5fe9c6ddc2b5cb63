import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { findHeadlessShell, findPythonWebsockets, hasChromium, hasPostgres, hasRedis } from '@sdk/test-kit'
import { capture } from './run.ts'

/** A program that some suites need, and how to install it. */
export interface Program {
  readonly name: string
  readonly isThere: () => boolean
  /** The Debian packages of the program; PostgreSQL comes from npm. */
  readonly packages: readonly string[]
}

const PROGRAMS: readonly Program[] = [
  { name: 'Chromium', isThere: hasChromium, packages: ['chromium', 'fonts-liberation'] },
  { name: 'Redis', isThere: hasRedis, packages: ['redis-server'] },
  {
    name: 'Python with websockets',
    isThere: () => findPythonWebsockets() !== undefined,
    packages: ['python3', 'python3-websockets'],
  },
  { name: 'PostgreSQL', isThere: hasPostgres, packages: [] },
]

/** Saves a fifth of the CPU time of browser tests. Not every distribution has it; without it they use Chromium. */
const HEADLESS_SHELL: Program = {
  name: "Chromium's headless shell",
  isThere: () => !hasChromium() || findHeadlessShell() !== undefined,
  packages: ['chromium-headless-shell'],
}

/** Installs missing programs if allowed. Returns those that are still missing and that suites need. */
export async function installPrograms(): Promise<readonly Program[]> {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const packages = missingPrograms().flatMap((program) => program.packages)
    if (packages.length > 0) await aptInstall(packages)
    if (!HEADLESS_SHELL.isThere()) await aptInstall(HEADLESS_SHELL.packages)
  }
  return missingPrograms()
}

/** Returns how to install a missing program, in one line. */
export function adviceFor({ name, packages }: Program): string {
  return packages.length > 0
    ? `${name} is not installed. On Debian: sudo apt-get install ${packages.join(' ')}`
    : `${name} for ${process.platform}-${process.arch} is not in node_modules. Run: npm install`
}

function missingPrograms(): Program[] {
  return PROGRAMS.filter((program) => !program.isThere())
}

async function aptInstall(packages: readonly string[]): Promise<void> {
  console.log(`Installing ${packages.join(', ')} with apt-get; this may take a minute or two …`)
  const started = performance.now()
  const ticker = setInterval(() => {
    console.log(`  … ${Math.round((performance.now() - started) / 1000)} s`)
  }, 10_000)
  const install = `apt-get install -qq -y --no-install-recommends ${packages.join(' ')}`
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  // The package lists may be missing or out of date: update them only if the install fails.
  const { code, output } = await withoutServices(() =>
    capture(`${install} || { apt-get update -qq && ${install}; }`, env),
  )
  clearInterval(ticker)
  if (code !== 0) console.error(output)
}

/** Prevents Debian from starting services right after their installation. */
async function withoutServices<T>(task: () => Promise<T>): Promise<T> {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return task()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return await task()
  } finally {
    rmSync(policy)
  }
}
