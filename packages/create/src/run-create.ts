import { relative, resolve } from 'node:path'
import { HELP, parseCommandLine } from './command-line.ts'
import { createProject } from './create-project.ts'
import { EXIT_CODES, CreateFailure } from './failure.ts'
import { install } from './install.ts'
import { packageVersion } from './package-version.ts'
import { callingPackageManager, callingVersion } from './package-manager.ts'
import { askProjectChoices, type AskQuestion } from './project-choices.ts'
import { initRepository } from './repository.ts'
import type { Screen } from './screen.ts'
import { readTarballs } from './tarballs.ts'

/** The parts of the process that the command uses. */
export interface CreateContext {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly screen: Screen
  /** Asks the user a question. Null if there is no terminal. */
  readonly ask: AskQuestion | null
  /** A signal that is aborted on Ctrl-C. */
  readonly signal: AbortSignal
}

/** Runs a command line, such as `['my-app', '--yes']`, and returns the exit code. */
export async function runCreate(args: readonly string[], context: CreateContext): Promise<number> {
  const { screen } = context
  try {
    await createFromArguments(args, context)
    return EXIT_CODES.ok
  } catch (error) {
    if (!(error instanceof CreateFailure)) throw error
    screen.err(`${screen.paint('red', '✗')} ${error.message}`)
    if (error.fix !== undefined) screen.err(`  ${screen.paint('dim', error.fix)}`)
    return error.exitCode
  }
}

async function createFromArguments(
  args: readonly string[],
  { cwd, env, screen, ask, signal }: CreateContext,
): Promise<void> {
  const line = parseCommandLine(args)
  if (line.help) return screen.out(HELP)
  if (line.version) return screen.out(packageVersion())
  const manager = line.manager ?? callingPackageManager(env)
  const version = callingVersion(manager, env)
  const tarballs = line.packages === undefined ? [] : readTarballs(resolve(cwd, line.packages))
  const choices = await askProjectChoices(line, ask)
  if (signal.aborted) throw new CreateFailure('interrupted: nothing was created', { exitCode: EXIT_CODES.interrupted })
  const { directory } = createProject({
    directory: resolve(cwd, choices.folder),
    ...(line.name === undefined ? {} : { name: line.name }),
    template: choices.template,
    packageManager: manager,
    ...(version === undefined ? {} : { packageManagerVersion: version }),
    tarballs,
  })
  const path = relative(cwd, directory)
  const changeFolder = path === '' ? [] : [`cd ${quotePath(path)}`]
  // `bun test` would start Bun's own test runner instead of the `test` script.
  const testing = manager === 'bun' ? 'bun run test' : `${manager} test`
  const [installing, developing] = [`${manager} install`, `${manager} run dev`]
  if (line.git) await initRepository(directory, env)
  if (choices.install)
    await install({ directory, manager, env, signal, screen, again: [...changeFolder, installing].join(' && ') })
  const steps = [...changeFolder, ...(choices.install ? [developing, testing] : [installing, developing])]
  const created = screen.paint('bold', path === '' ? 'Your app' : path)
  screen.out(`${screen.paint('green', '✓')} ${created} is ready. Now run:\n`)
  for (const step of steps) screen.out(`  ${screen.paint('cyan', step)}`)
  screen.out('')
}

function quotePath(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `"${path}"`
}
