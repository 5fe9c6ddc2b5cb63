import type { COMMAND_PAGES } from './pages/command-pages.ts'
import type { DOCTOR_PAGES } from './pages/doctor-pages.ts'
import type { Terminal } from './terminal.ts'

/** The exit codes. Scripts may rely on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, pending: 3, interrupted: 130 } as const

/** An error code of the CLI. `sdk explain` has a page for each code. */
export type CliCode = keyof typeof COMMAND_PAGES | keyof typeof DOCTOR_PAGES

/** An expected error, which is printed as a message and a fix, without a stack trace. */
export class Failure extends Error {
  readonly fix: string | undefined
  /** The error code, which has a page in `sdk explain`. */
  readonly code: CliCode
  /** Lines to print below the message. */
  readonly lines: readonly string[]
  /** The error response from a server, which is included in the JSON output. */
  readonly answer: object | undefined
  readonly exitCode: number

  constructor(
    message: string,
    options: Pick<Failure, 'code'> & Partial<Pick<Failure, 'fix' | 'lines' | 'answer' | 'exitCode' | 'cause'>>,
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'Failure'
    this.fix = options.fix
    this.code = options.code
    this.lines = options.lines ?? []
    this.answer = options.answer
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}

/** Creates a failure for an invalid command line. */
export function usageFailure(message: string, fix: string): Failure {
  return new Failure(message, { fix, code: 'USAGE', exitCode: EXIT.usage })
}

/** Prints a failure, as JSON with `--json`, and returns the exit code. */
export function printFailure(failure: Failure, terminal: Terminal, args: readonly string[]): number {
  if (args.includes('--json')) printFailureJson(failure, terminal)
  else printFailureText(failure, terminal)
  return failure.exitCode
}

function printFailureText({ message, lines, fix, code, exitCode }: Failure, { err, paint }: Terminal): void {
  err(`${paint.red('✗')} ${message}`)
  for (const line of lines) err(`  ${line}`)
  if (fix !== undefined) err(`  ${paint.dim(fix)}`)
  if (exitCode === EXIT.failed && code !== 'CALL_FAILED') err(`  ${paint.dim(`for details, run sdk explain ${code}`)}`)
}

/** Prints a failure as JSON to standard output, where programs expect it. */
function printFailureJson({ message, lines, fix, code, answer }: Failure, { out }: Terminal): void {
  const more = lines.length > 0 ? { lines } : {}
  out(JSON.stringify({ error: { code, message, ...more, fix: fix ?? null, answer } }))
}
