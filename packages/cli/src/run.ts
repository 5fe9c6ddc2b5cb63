import { readFileSync } from 'node:fs'
import { parseOptions, type Command } from './command.ts'
import { addCommand } from './commands/add-command.ts'
import { buildCommand } from './commands/build-command.ts'
import { devCommand } from './commands/dev-command.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { explainCommand } from './commands/explain-command.ts'
import { infoCommand } from './commands/info-command.ts'
import { listCommand } from './commands/list-command.ts'
import { openapiCommand } from './commands/openapi-command.ts'
import { runCommand } from './commands/run-command.ts'
import { startCommand } from './commands/start-command.ts'
import { typesCommand } from './commands/types-command.ts'
import { EXIT, Failure, usageFailure } from './failure.ts'
import { toCommandHelp, toHelp } from './help.ts'
import { nearest } from './nearest.ts'
import type { Terminal } from './terminal.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  dev: devCommand,
  build: buildCommand,
  start: startCommand,
  add: addCommand,
  run: runCommand,
  list: listCommand,
  types: typesCommand,
  openapi: openapiCommand,
  doctor: doctorCommand,
  explain: explainCommand,
  info: infoCommand,
}

/** Runs a command line, such as `['dev', '--port', '4000']`; gives the exit code. */
export async function run(args: readonly string[], context: { cwd: string; terminal: Terminal }): Promise<number> {
  try {
    return (await dispatch(args, context)) ?? EXIT.ok
  } catch (error) {
    if (!(error instanceof Failure)) return tellMistake(error, context.terminal)
    if (args.includes('--json')) return tellAsJson(error, context.terminal)
    return tell(error, context.terminal)
  }
}

async function dispatch(args: readonly string[], context: { cwd: string; terminal: Terminal }): Promise<number | void> {
  const [name, ...rest] = args
  const { out } = context.terminal
  if (name === undefined || name === '--help' || name === '-h') return out(toHelp(COMMANDS))
  if (name === '--version' || name === '-v') return out(version())
  if (name === 'help') return out(rest[0] === undefined ? toHelp(COMMANDS) : helpOf(rest[0]))
  const command = commandOf(name)
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (options.includes('--help') || options.includes('-h')) return out(helpOf(name))
  return command.run({ ...context, ...parseOptions(name, command, rest) })
}

function helpOf(name: string): string {
  return toCommandHelp(name, commandOf(name))
}

function commandOf(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command !== undefined) return command
  const near = nearest(name, Object.keys(COMMANDS))
  throw usageFailure(
    `there is no command ${JSON.stringify(name)}`,
    near === undefined ? 'sdk --help' : `did you mean sdk ${near}?`,
  )
}

/** What is wrong, what to do, and where to read more. */
function tell({ message, lines, fix, code, exitCode }: Failure, { err, paint }: Terminal): number {
  err(`${paint.red('✗')} ${message}`)
  for (const line of lines) err(`  ${line}`)
  if (fix !== undefined) err(`  ${paint.dim(fix)}`)
  if (exitCode === EXIT.failed && code !== 'CALL_FAILED') err(`  ${paint.dim(`more: sdk explain ${code}`)}`)
  return exitCode
}

/** For programs, who asked for JSON: on standard output, where they look. */
function tellAsJson({ message, fix, code, answer, exitCode }: Failure, { out }: Terminal): number {
  out(JSON.stringify({ error: { code, message, fix: fix ?? null, answer } }, null, 2))
  return exitCode
}

/** Anything that is no failure we know is our mistake, and shows its stack. */
function tellMistake(error: unknown, { err, paint }: Terminal): number {
  err(`${paint.red('✗')} sdk failed, and it should not have`)
  err(error instanceof Error ? error.stack : String(error))
  err(`  ${paint.dim('tell us, with what sdk info prints')}`)
  return EXIT.failed
}

/** The version of this package, which is that of all. */
function version(): string {
  const { version: text }: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as object
  return String(text)
}
