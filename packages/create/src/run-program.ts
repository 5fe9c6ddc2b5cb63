import { spawn } from 'node:child_process'

/** Options for `runProgram`. */
export interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The signal that stops the program. The result then contains the output so far. */
  readonly signal?: AbortSignal
}

/** The result of running a program. */
export interface ProgramResult {
  /** The exit code, or null if the program was not found or was stopped. */
  readonly code: number | null
  /** The complete output, including standard error. */
  readonly output: string
}

/** Runs a program until it exits. Never rejects: if the program is not found, the exit code is null. */
export function runProgram(command: string, args: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  const { cwd, env, signal } = options
  return new Promise((resolve) => {
    // On Windows, package managers are scripts, which only a shell can run.
    const shell = process.platform === 'win32'
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const end = (): void => void child.kill('SIGTERM')
    if (signal?.aborted === true) end()
    signal?.addEventListener('abort', end, { once: true })
    const settle = (code: number | null, text: string): void => {
      signal?.removeEventListener('abort', end)
      resolve({ code, output: text })
    }
    child.once('error', (error) => settle(null, error.message))
    child.once('close', (code) => settle(code, output))
  })
}
