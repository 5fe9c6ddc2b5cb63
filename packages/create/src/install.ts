import { setTimeout } from 'node:timers/promises'
import { EXIT_CODES, CreateFailure } from './failure.ts'
import { installArguments, type PackageManager } from './package-manager.ts'
import { runProgram } from './run-program.ts'
import type { Screen } from './screen.ts'

/** Options for `install`. */
export interface InstallOptions {
  readonly directory: string
  readonly manager: PackageManager
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly screen: Screen
  /** The command for installing the packages by hand. */
  readonly again: string
}

const SPINNER_FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** How long to wait for a signal after the package manager has failed, in ms. */
const SIGNAL_DELAY_MS = 100

/** Installs a project's packages and shows the progress. */
export async function install(options: InstallOptions): Promise<void> {
  const { directory, manager, env, signal, screen, again } = options
  const started = performance.now()
  const stop = showProgress(`Installing packages with ${manager}`, screen)
  const { code, output } = await runProgram(manager, installArguments(manager), { cwd: directory, env, signal })
  stop()
  // Ctrl-C also ends the package manager, and its exit may be reported before this process receives the signal.
  if (code !== 0) await setTimeout(SIGNAL_DELAY_MS, null, { signal }).catch(() => {})
  if (signal.aborted)
    throw new CreateFailure(
      'interrupted during the installation: the app is complete, but not all packages are installed',
      {
        fix: again,
        exitCode: EXIT_CODES.interrupted,
      },
    )
  if (code !== 0) throw installFailure(manager, { output, isMissing: code === null, again })
  screen.out(`${screen.paint('green', '✓')} Packages installed in ${secondsSince(started)} s`)
}

function installFailure(
  manager: PackageManager,
  { output, isMissing, again }: { output: string; isMissing: boolean; again: string },
): CreateFailure {
  const lines = output.trim().split('\n').slice(-12)
  const printed = lines.map((line) => `\n    ${line}`).join('')
  return new CreateFailure(`the app was created, but ${manager} could not install its packages:${printed}`, {
    fix: isMissing
      ? `install ${manager}, or use another package manager: --package-manager npm`
      : `fix the error, then run: ${again}`,
  })
}

/** Shows a spinner on a terminal, or prints a single line otherwise. Returns a function that stops the spinner. */
function showProgress(text: string, { rewrite, out, paint }: Screen): () => void {
  if (rewrite === null) {
    out(`${text} …`)
    return () => {}
  }
  const started = performance.now()
  let turn = 0
  const show = (): void =>
    rewrite(
      `${paint('cyan', SPINNER_FRAMES[turn++ % SPINNER_FRAMES.length] ?? '')} ${text} ${paint('dim', `${secondsSince(started)} s`)}`,
    )
  show()
  const timer = setInterval(show, 100)
  return () => {
    clearInterval(timer)
    rewrite('')
  }
}

function secondsSince(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(1)
}
