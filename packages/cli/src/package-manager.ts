import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from './failure.ts'

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** The files by which a package manager is recognized. */
const FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['pnpm-workspace.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

/** The commands of a package manager, as in messages to the user. */
interface ManagerCommands {
  readonly install: string
  readonly add: string
  readonly addForDevelopment: string
  readonly why: string
  readonly dedupe: string
}

const COMMANDS: Readonly<Record<PackageManager, ManagerCommands>> = {
  npm: {
    install: 'npm install',
    add: 'npm install',
    addForDevelopment: 'npm install --save-dev',
    why: 'npm ls',
    dedupe: 'npm dedupe',
  },
  pnpm: {
    install: 'pnpm install',
    add: 'pnpm add',
    addForDevelopment: 'pnpm add --save-dev',
    why: 'pnpm why',
    dedupe: 'pnpm dedupe',
  },
  yarn: {
    install: 'yarn install',
    add: 'yarn add',
    addForDevelopment: 'yarn add --dev',
    why: 'yarn why',
    dedupe: 'yarn dedupe',
  },
  bun: {
    install: 'bun install',
    add: 'bun add',
    addForDevelopment: 'bun add --dev',
    why: 'bun why',
    dedupe: 'bun update',
  },
}

/** Returns the package manager of a project, which may be part of a workspace: the owner of the nearest lockfile. */
export function packageManagerOf(root: string): PackageManager {
  const found = FILES.find(([file]) => existsSync(join(root, file)))
  if (found !== undefined) return found[1]
  const parent = dirname(root)
  return parent === root ? 'npm' : packageManagerOf(parent)
}

/** Returns the commands of a project's package manager. */
export function managerCommands(root: string): ManagerCommands {
  return COMMANDS[packageManagerOf(root)]
}

/** Returns the command that adds a package to the project that contains a file, which is a path or a URL. */
export function toAddCommand(name: string, from: string): string {
  const file = from.startsWith('file:') ? fileURLToPath(from) : from
  return `${managerCommands(dirname(file)).add} ${name}`
}

/** Throws if packages are loaded with yarn's Plug'n'Play, in which Vite and some packages do not work. */
export function assertNodeModules(pnp: string | undefined = process.versions['pnp']): void {
  if (pnp === undefined) return
  throw new Failure("sdk cannot load packages with yarn's Plug'n'Play", {
    code: 'PLUG_AND_PLAY',
    fix: 'set nodeLinker: node-modules in .yarnrc.yml, then run yarn install',
  })
}
