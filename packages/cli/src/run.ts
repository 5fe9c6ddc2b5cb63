import { readFileSync } from 'node:fs'
import { parseOptions, type Command } from './command.ts'
import { buildCommand } from './commands/build-command.ts'
import { devCommand } from './commands/dev-command.ts'
import { listCommand } from './commands/list-command.ts'
import { startCommand } from './commands/start-command.ts'
import { typesCommand } from './commands/types-command.ts'
import { EXIT, Failure, usageFailure } from './failure.ts'
import { nearest } from './nearest.ts'
import { toTable, type Terminal } from './terminal.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  dev: devCommand,
  build: buildCommand,
  start: startCommand,
  list: listCommand,
  types: typesCommand,
}

/** Runs a command line, such as `['dev', '--port', '4000']`; gives the exit code. */
export async function run(args: readonly string[], context: { cwd: string; terminal: Terminal }): Promise<number> {
  try {
    await dispatch(args, context)
    return EXIT.ok
  } catch (error) {
    return explain(error, context.terminal)
  }
}

async function dispatch(args: readonly string[], context: { cwd: string; terminal: Terminal }): Promise<void> {
  const [name, ...rest] = args
  const { out } = context.terminal
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return out(help())
  if (name === '--version' || name === '-v') return out(version())
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) throw unknownCommand(name)
  if (rest.includes('--help') || rest.includes('-h')) return out(commandHelp(name, command))
  await command.run({ ...context, ...parseOptions(name, command, rest) })
}

function unknownCommand(name: string): Failure {
  const near = nearest(name, Object.keys(COMMANDS))
  return usageFailure(
    `there is no command ${JSON.stringify(name)}`,
    near === undefined ? 'sdk --help' : `did you mean sdk ${near}?`,
  )
}

/** A failure is told in two lines; anything else is our mistake and shows its stack. */
function explain(error: unknown, { err, paint }: Terminal): number {
  if (!(error instanceof Failure)) {
    err(`${paint.red('✗')} sdk failed, and it should not have`)
    err(error instanceof Error ? error.stack : String(error))
    return EXIT.failed
  }
  err(`${paint.red('✗')} ${error.message}`)
  if (error.fix !== undefined) err(`  ${paint.dim(error.fix)}`)
  return error.exitCode
}

function help(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => [`  sdk ${name}`, summary])
  return ['Usage: sdk <command> [options]', '', ...toTable(rows), '', 'sdk <command> --help tells the options.'].join(
    '\n',
  )
}

function commandHelp(name: string, { summary, options }: Command): string {
  const rows = Object.entries(options).map(([key, option]) => [
    `  --${key}${option.value === undefined ? '' : ` <${option.value}>`}`,
    option.summary,
  ])
  return [`sdk ${name}: ${summary}`, ...(rows.length === 0 ? [] : ['', ...toTable(rows)])].join('\n')
}

/** The version of this package, which is that of all. */
function version(): string {
  const { version: text }: { version?: unknown } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as object
  return String(text)
}
