import { EXIT, type Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

/** Prints a failure, with `--json` as JSON; gives the exit code. */
export function printFailure(failure: Failure, terminal: Terminal, args: readonly string[]): number {
  if (args.includes('--json')) printFailureJson(failure, terminal)
  else printFailureText(failure, terminal)
  return failure.exitCode
}

function printFailureText({ message, lines, fix, code, exitCode }: Failure, { err, paint }: Terminal): void {
  err(`${paint.red('✗')} ${message}`)
  for (const line of lines) err(`  ${line}`)
  if (fix !== undefined) err(`  ${paint.dim(fix)}`)
  if (exitCode === EXIT.failed && code !== 'CALL_FAILED') err(`  ${paint.dim(`more: sdk explain ${code}`)}`)
}

/** On standard output, which is what programs read. */
function printFailureJson({ message, lines, fix, code, answer }: Failure, { out }: Terminal): void {
  const more = lines.length > 0 ? { lines } : {}
  out(JSON.stringify({ error: { code, message, ...more, fix: fix ?? null, answer } }))
}
