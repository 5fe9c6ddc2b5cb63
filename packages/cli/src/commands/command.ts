import { parseArgs } from 'node:util'
import type { EnvMode } from '../env-files.ts'
import { usageFailure } from '../failure.ts'
import { didYouMean } from '../closest-match.ts'
import { wrapText, type Terminal } from '../terminal.ts'

/** An option of a command. */
export interface CommandOption {
  readonly summary: string
  /** The name of the option's value, as in `--port <number>`. An option without a value is a flag. */
  readonly value?: string
}

/** A positional argument of a command. */
export interface CommandArgument {
  readonly name: string
  readonly summary: string
  readonly isOptional?: boolean
}

/** The context that a command runs in. */
export interface CommandContext {
  /** The working directory. */
  readonly cwd: string
  readonly terminal: Terminal
  /** The positional arguments, in order. Optional arguments may be missing. */
  readonly args: readonly string[]
  /** Returns the value of an option, or `undefined` if the option was not given. */
  text(name: string): string | undefined
  /** Returns whether a flag was given. */
  has(name: string): boolean
}

/** An `sdk` command. */
export interface Command {
  readonly summary: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** @default none */
  readonly args?: readonly CommandArgument[]
  /** Example command lines to show in the help. @default none */
  readonly examples?: readonly string[]
  /** The mode that selects the env files to load before the command runs. @default none */
  readonly mode?: EnvMode
  /** Runs the command. Resolves with the exit code; undefined means 0. */
  run(context: CommandContext): Promise<number | void>
}

/** Parses and validates the options and arguments of a command line. */
export function parseOptions(
  name: string,
  command: Command,
  args: readonly string[],
): Pick<CommandContext, 'args' | 'text' | 'has'> {
  const options = Object.entries(command.options)
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options.map(([key, { value }]) => [key, { type: value ? 'string' : 'boolean' }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) if (token.kind === 'option') checkOption(name, command, token)
  checkArguments(name, command.args ?? [], positionals)
  return {
    args: positionals,
    text: (key) => (typeof values[key] === 'string' ? values[key] : undefined),
    has: (key) => values[key] === true,
  }
}

/** Returns the usage of a command, such as `sdk run <agent> [input]`. */
function usageOf(name: string, args: readonly CommandArgument[] = []): string {
  return ['sdk', name, ...args.map((one) => (one.isOptional === true ? `[${one.name}]` : `<${one.name}>`))].join(' ')
}

function checkArguments(name: string, expected: readonly CommandArgument[], actual: readonly string[]): void {
  const surplus = actual[expected.length]
  if (surplus !== undefined) {
    const accepted = expected.length === 0 ? 'no arguments' : `only ${expected.map((one) => one.name).join(' and ')}`
    throw usageFailure(`sdk ${name} accepts ${accepted}, got ${JSON.stringify(surplus)}`, `sdk ${name} --help`)
  }
  const missing = expected.find((one, index) => one.isOptional !== true && actual[index] === undefined)
  if (missing !== undefined)
    throw usageFailure(`sdk ${name} requires ${missing.name}: ${missing.summary}`, usageOf(name, expected))
}

function checkOption(
  name: string,
  command: Command,
  token: { name: string; rawName: string; value?: string | undefined },
): void {
  const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined
  if (option === undefined) {
    const fix = didYouMean(token.name, Object.keys(command.options), '--') ?? `sdk ${name} --help`
    throw usageFailure(`sdk ${name} has no option ${token.rawName}`, fix)
  }
  if (option.value !== undefined && token.value === undefined)
    throw usageFailure(`${token.rawName} requires a value`, `sdk ${name} ${token.rawName} <${option.value}>`)
  if (option.value === undefined && token.value !== undefined)
    throw usageFailure(`${token.rawName} is a flag and does not accept a value`, `sdk ${name} ${token.rawName}`)
}

/** Returns the general help, with one line per command. */
export function toHelp(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, { summary, args }]): HelpRow => [
    `  ${usageOf(name, args)}`,
    summary,
  ])
  const lines = ['Usage: sdk <command> [options]', '', ...toRows(rows), '', 'sdk <command> --help shows the options.']
  return lines.join('\n')
}

/** Returns the help for one command: its usage, options and examples. */
export function toCommandHelp(name: string, { summary, args = [], options, examples = [] }: Command): string {
  const positionals = args.map((one): HelpRow => [`  ${one.name}`, one.summary])
  const flags = Object.entries(options).map(([key, option]): HelpRow => [
    `  --${key}${option.value === undefined ? '' : ` <${option.value}>`}`,
    option.summary,
  ])
  const rows = toRows([...positionals, ...flags])
  return [
    ...wrapText(`${usageOf(name, args)}: ${summary}`, HELP_WIDTH - 2).map((line, index) =>
      index === 0 ? line : `  ${line}`,
    ),
    ...(rows.length === 0 ? [] : ['', ...rows]),
    ...(examples.length === 0 ? [] : ['', 'Examples', ...examples.map((line) => `  ${line}`)]),
  ].join('\n')
}

type HelpRow = readonly [name: string, summary: string]

/** The line width of the help, which is the default width of a terminal. */
const HELP_WIDTH = 80

/** Formats names and summaries in two columns. Long summaries wrap within their column. */
function toRows(rows: readonly HelpRow[]): string[] {
  const indent = Math.max(0, ...rows.map(([name]) => name.length)) + 2
  return rows.flatMap(([name, summary]) =>
    wrapText(summary, HELP_WIDTH - indent).map((line, index) => (index === 0 ? name : '').padEnd(indent) + line),
  )
}
