import { parseArgs } from 'node:util'
import { usageFailure } from './failure.ts'
import { nearest } from './nearest.ts'
import type { Terminal } from './terminal.ts'

/** One option of a command. */
export interface Option {
  readonly summary: string
  /** The name of its value, as in `--port <number>`; without one it is a switch. */
  readonly value?: string
}

/** What a command is given. */
export interface CommandContext {
  /** Where it was called. */
  readonly cwd: string
  readonly terminal: Terminal
  /** The value of an option; `undefined` where it was not given. */
  text(name: string): string | undefined
  /** Was this switch given? */
  has(name: string): boolean
}

/** A command of `sdk`. */
export interface Command {
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  run(context: CommandContext): Promise<void>
}

/** The options of a command line, checked against what the command takes. */
export function parseOptions(
  name: string,
  command: Command,
  args: readonly string[],
): Pick<CommandContext, 'text' | 'has'> {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(command.options).map(([key, { value }]) => [
        key,
        { type: value === undefined ? 'boolean' : 'string' },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'option') checkOption(name, command, token)
  }
  if (positionals[0] !== undefined) {
    throw usageFailure(`sdk ${name} takes no argument, got ${JSON.stringify(positionals[0])}`, `sdk ${name} --help`)
  }
  return {
    text: (key) => (typeof values[key] === 'string' ? values[key] : undefined),
    has: (key) => values[key] === true,
  }
}

function checkOption(
  name: string,
  command: Command,
  token: { name: string; rawName: string; value?: string | undefined },
): void {
  const option = command.options[token.name]
  if (option === undefined) {
    const near = nearest(token.name, Object.keys(command.options))
    throw usageFailure(
      `sdk ${name} has no option ${token.rawName}`,
      near === undefined ? `sdk ${name} --help` : `did you mean --${near}?`,
    )
  }
  if (option.value !== undefined && token.value === undefined)
    throw usageFailure(`${token.rawName} needs a value`, `sdk ${name} ${token.rawName} <${option.value}>`)
  if (option.value === undefined && token.value !== undefined)
    throw usageFailure(`${token.rawName} is a switch and takes no value`, `sdk ${name} ${token.rawName}`)
}
