import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningProcess, startProcess, temporaryFolder } from '@sdk/test-kit'
import { packOnce } from '../../packed/pack-once.ts'

/** Package managers, bundlers and compilers are slow on a busy machine. */
const TIMEOUT_MS = 300_000

/** `npm create @sdk` before it is published: its unpacked tarball, next to the tarballs of the other packages. */
export interface Packed {
  /** The program that npm would run. */
  readonly create: string
  /** The folder of all tarballs. */
  readonly tarballs: string
}

/** Packs all packages and unpacks the one that creates apps. */
export async function packCreate(): Promise<Packed> {
  const folder = temporaryFolder('create').path
  const tarballs = join(folder, 'tarballs')
  const file = (await packOnce(tarballs)).find(({ name }) => name === '@sdk/create')?.tarball
  if (file === undefined) throw new Error('no tarball of @sdk/create found')
  await succeed('tar', ['-xzf', file], folder)
  return { create: join(folder, 'package/bin/create.js'), tarballs }
}

/** A created app with installed packages, as a user would have it. */
export interface CreatedApp {
  readonly path: string
  /** The output of its creation. */
  readonly output: string
  read(file: string): string
  edit(file: string, from: string, to: string): void
  /** Returns all files below a folder. */
  list(folder: string): string[]
  /** Runs npm and returns its output. */
  npm(...args: string[]): Promise<string>
  /** Runs a script of the app, or another command line, as npm does. */
  run(command: string): Promise<string>
  /** Runs npm, which may fail. */
  tryNpm(...args: string[]): Promise<string>
  /** Starts `sdk dev` or `sdk start`, or the build with plain Node. Resolves when it has printed its URL. */
  start(command: 'dev' | 'start' | 'node', env?: Record<string, string>): Promise<RunningApp>
}

/** A running app. */
export interface RunningApp {
  readonly url: string
  readonly running: RunningProcess
}

/**
 * Creates an app in an empty folder and installs its packages. If another app has all of them, links those: installing
 * them again takes npm ten seconds of CPU.
 */
export async function createApp(template: string, packed: Packed, installed?: CreatedApp): Promise<CreatedApp> {
  const folder = temporaryFolder('create').path
  const install = installed === undefined ? '--install' : '--no-install'
  const args = [packed.create, 'my-app', '--template', template, '--packages', packed.tarballs, '--yes', install]
  const output = await succeed(process.execPath, args, folder)
  const path = join(folder, 'my-app')
  if (installed !== undefined) {
    await succeed('cp', ['--archive', '--link', join(installed.path, 'node_modules'), path], folder)
  }
  const read = (file: string): string => readFileSync(join(path, file), 'utf8')
  return {
    path,
    output,
    read,
    edit(file, from, to) {
      if (!read(file).includes(from)) throw new Error(`${file} has no ${from}`)
      writeFileSync(join(path, file), read(file).replace(from, to))
    },
    list(name) {
      const entries = readdirSync(join(path, name), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    },
    npm: (...rest) => succeed('npm', rest, path),
    run(command) {
      const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
      return succeed('sh', ['-c', `${AS_NPM}; ${scripts[command] ?? command}`], path)
    },
    tryNpm: async (...rest) => (await finish('npm', rest, path)).output(),
    async start(command, env = {}) {
      const program = join(path, command === 'node' ? 'dist/server/index.js' : 'node_modules/@sdk/cli/bin/sdk.js')
      const words = [program, ...(command === 'node' ? [] : [command])]
      const running = await startProcess({
        command: process.execPath,
        args: words,
        cwd: path,
        env: clean(env),
      })
      const url = await running.waitFor(/http:\/\/[\d.:]+/, { timeout: TIMEOUT_MS })
      return { url, running }
    },
  }
}

/** Makes the programs of packages available. */
const AS_NPM = 'PATH="$PWD/node_modules/.bin:$PATH"'

async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const running = await finish(command, args, cwd)
  const { code } = await running.exited
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${running.output()}`)
  return running.output()
}

async function finish(command: string, args: readonly string[], cwd: string): Promise<RunningProcess> {
  const running = await startProcess({ command, args, cwd, env: clean({}) })
  await running.exited
  return running
}

/** Removes variables of the test runner, except for `NODE_OPTIONS`, which saves CPU time. */
function clean(env: Record<string, string>): Record<string, string | undefined> {
  return { NODE_ENV: undefined, VITEST: undefined, DATABASE_URL: undefined, ...env }
}
