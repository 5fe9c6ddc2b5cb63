import { relative, resolve } from 'node:path'
import { HELP, parseCommandLine } from './command-line.ts'
import { createProject } from './create-project.ts'
import { EXIT, Failure } from './failure.ts'
import { install } from './install.ts'
import { ownVersion } from './package-version.ts'
import { callingPackageManager } from './package-manager.ts'
import { answer, type Ask } from './project-choices.ts'
import { initRepository } from './repository.ts'
import type { Screen } from './screen.ts'
import { readTarballs } from './tarballs.ts'

/** What a call uses of its process. */
export interface RunContext {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly screen: Screen
  /** Asks the user; null without a terminal. */
  readonly ask: Ask | null
  /** Ctrl-C. */
  readonly signal: AbortSignal
}

/** Runs a command line, such as `['my-app', '--yes']`; gives the exit code. */
export async function run(args: readonly string[], context: RunContext): Promise<number> {
  const { screen } = context
  try {
    await create(args, context)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    screen.err(`${screen.paint('red', '✗')} ${error.message}`)
    if (error.fix !== undefined) screen.err(`  ${screen.paint('dim', error.fix)}`)
    return error.exitCode
  }
}

async function create(args: readonly string[], { cwd, env, screen, ask, signal }: RunContext): Promise<void> {
  const line = parseCommandLine(args)
  if (line.help) return screen.out(HELP)
  if (line.version) return screen.out(ownVersion())
  const manager = line.manager ?? callingPackageManager(env)
  const tarballs = line.packages === undefined ? [] : readTarballs(resolve(cwd, line.packages))
  const wanted = await answer(line, ask)
  if (signal.aborted) throw new Failure('stopped: nothing was made', { exitCode: EXIT.interrupted })
  const { directory } = createProject({
    directory: resolve(cwd, wanted.folder),
    ...(line.name === undefined ? {} : { name: line.name }),
    template: wanted.template,
    packageManager: manager,
    tarballs,
  })
  const path = relative(cwd, directory)
  const enter = path === '' ? [] : [`cd ${quoted(path)}`]
  // `bun test` would start bun's own test runner.
  const testing = manager === 'bun' ? 'bun run test' : `${manager} test`
  const [installing, developing] = [`${manager} install`, `${manager} run dev`]
  if (line.git) await initRepository(directory, env)
  if (wanted.install)
    await install({ directory, manager, env, signal, screen, again: [...enter, installing].join(' && ') })
  const steps = [...enter, ...(wanted.install ? [developing, testing] : [installing, developing])]
  screen.out(`${screen.paint('green', '✓')} ${screen.paint('bold', path === '' ? 'Your app' : path)} is ready. Now:\n`)
  for (const step of steps) screen.out(`  ${screen.paint('cyan', step)}`)
  screen.out('')
}

function quoted(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `"${path}"`
}
