import { readFileSync } from 'node:fs'
import { parseOptions, toCommandHelp, toHelp, type Command } from './commands/command.ts'
import { searchRoot } from './discover.ts'
import { loadEnvFiles } from './env-files.ts'
import { EXIT, Failure, printFailure, usageFailure } from './failure.ts'
import { didYouMean } from './closest-match.ts'
import { assertNodeModules } from './package-manager.ts'
import { systemFailure } from './system-failure.ts'
import type { Terminal } from './terminal.ts'

/** The commands, which are loaded on demand: one command's imports, such as the bundler, would slow down all others. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  dev: async () => (await import('./commands/dev-command.ts')).devCommand,
  build: async () => (await import('./commands/build-command.ts')).buildCommand,
  start: async () => (await import('./commands/start-command.ts')).startCommand,
  add: async () => (await import('./commands/add-command.ts')).addCommand,
  run: async () => (await import('./commands/run-command.ts')).runCommand,
  runs: async () => (await import('./commands/runs-command.ts')).runsCommand,
  sql: async () => (await import('./commands/sql-command.ts')).sqlCommand,
  migrate: async () => (await import('./commands/migrate-command.ts')).migrateCommand,
  list: async () => (await import('./commands/list-command.ts')).listCommand,
  types: async () => (await import('./commands/types-command.ts')).typesCommand,
  openapi: async () => (await import('./commands/openapi-command.ts')).openapiCommand,
  doctor: async () => (await import('./commands/doctor-command.ts')).doctorCommand,
  explain: async () => (await import('./commands/explain-command.ts')).explainCommand,
  info: async () => (await import('./commands/info-command.ts')).infoCommand,
}

/** Runs a command line, such as `['dev', '--port', '4000']`, and returns the exit code. */
export async function runCommandLine(
  args: readonly string[],
  context: { cwd: string; terminal: Terminal },
): Promise<number> {
  try {
    return (await dispatch(args, context)) ?? EXIT.ok
  } catch (error) {
    const failure = error instanceof Failure ? error : systemFailure(error)
    return failure === null ? printBug(error, context.terminal) : printFailure(failure, context.terminal, args)
  }
}

async function dispatch(args: readonly string[], context: { cwd: string; terminal: Terminal }): Promise<number | void> {
  const [name, ...rest] = args
  const { out } = context.terminal
  if (name === undefined || name === '--help' || name === '-h') return out(await generalHelp())
  if (name === '--version' || name === '-v') return out(packageVersion())
  if (name === 'help')
    return out(rest[0] === undefined ? await generalHelp() : toCommandHelp(rest[0], await findCommand(rest[0])))
  const command = await findCommand(name)
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  if (options.includes('--help') || options.includes('-h')) return out(toCommandHelp(name, command))
  const parsed = parseOptions(name, command, rest)
  if (name !== 'explain' && name !== 'info') assertNodeModules()
  const root = searchRoot(context.cwd)
  if (command.mode !== undefined && root !== null) loadEnvFiles(root, command.mode)
  return command.run({ ...context, ...parsed })
}

async function generalHelp(): Promise<string> {
  const all = Object.entries(COMMANDS).map(async ([name, load]) => [name, await load()] as const)
  return toHelp(Object.fromEntries(await Promise.all(all)))
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load !== undefined) return load()
  const fix = didYouMean(name, Object.keys(COMMANDS), 'sdk ') ?? 'sdk --help'
  throw usageFailure(`unknown command ${JSON.stringify(name)}`, fix)
}

/** Prints an unexpected error, which is a bug in the SDK, with its stack trace. */
function printBug(error: unknown, { err, paint }: Terminal): number {
  err(`${paint.red('✗')} unexpected error: this is a bug in sdk`)
  err(error instanceof Error ? error.stack : String(error))
  err(`  ${paint.dim('please report it and include the output of sdk info')}`)
  return EXIT.failed
}

/** Returns the version of this package. All SDK packages have the same version. */
function packageVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
