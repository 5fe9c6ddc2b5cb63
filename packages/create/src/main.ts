import { createInterface } from 'node:readline/promises'
import { EXIT_CODES, CreateFailure } from './failure.ts'
import { runCreate } from './run-create.ts'
import { createScreen } from './screen.ts'

/** Runs the command in the current terminal and returns the exit code. */
export async function main(args: readonly string[], cwd: string = process.cwd()): Promise<number> {
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  // Files are written synchronously, so that a signal is handled only after all files are written.
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    const ask = process.stdin.isTTY && process.stdout.isTTY ? askOn(stop) : null
    return await runCreate(args, { cwd, env: process.env, screen: createScreen(), ask, signal: stop.signal })
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

function askOn(stop: AbortController): (question: string) => Promise<string> {
  return async (question) => {
    const prompt = createInterface({ input: process.stdin, output: process.stdout })
    // At a prompt, Ctrl-C is a key press instead of a signal, and Ctrl-D closes the prompt.
    const leave = (): void => stop.abort()
    prompt.on('SIGINT', leave).on('close', leave)
    try {
      return await prompt.question(question, { signal: stop.signal })
    } catch (cause) {
      if (!stop.signal.aborted) throw cause
      process.stdout.write('\n')
      throw new CreateFailure('interrupted: nothing was created', { exitCode: EXIT_CODES.interrupted, cause })
    } finally {
      prompt.off('close', leave).close()
    }
  }
}
