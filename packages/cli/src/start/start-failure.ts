import type { EnvError } from '@sdk/server'
import { EXIT, Failure } from '../failure.ts'
import { printFailure } from '../print-failure.ts'
import { createTerminal } from '../terminal.ts'

/** One failure for all variables that the environment lacks. */
export function environmentFailure(faults: readonly EnvError[]): Failure {
  const count = faults.length === 1 ? 'a variable' : `${faults.length} variables`
  return new Failure(`the server needs ${count} of the environment`, {
    code: 'INVALID_ENVIRONMENT',
    lines: faults.flatMap(({ name, problem: fault, purpose, example }) => [
      `${name} ${fault}: ${purpose}`,
      `    ${example}`,
    ]),
    fix: 'set them where the server is started; sdk start also reads .env.production.local',
  })
}

/** Prints why a server does not start, and ends the process. An error in the app's own code shows its stack. */
export function exitWithFailure(error: unknown): never {
  if (error instanceof Failure) return process.exit(printFailure(error, createTerminal(), process.argv))
  console.error(error)
  return process.exit(EXIT.failed)
}
