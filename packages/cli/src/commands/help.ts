import { usageOf, type Command } from './command.ts'
import { toTable } from '../terminal.ts'

/** All commands, one line each. */
export function toHelp(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, { summary, args }]) => [`  ${usageOf(name, args)}`, summary])
  return ['Usage: sdk <command> [options]', '', ...toTable(rows), '', 'sdk <command> --help shows the options.'].join(
    '\n',
  )
}

/** One command: how it is called, its options, and command lines to copy. */
export function toCommandHelp(name: string, { summary, args = [], options, examples = [] }: Command): string {
  const positionals = args.map((one) => [`  ${one.name}`, one.summary])
  const flags = Object.entries(options).map(([key, option]) => [
    `  --${key}${option.value === undefined ? '' : ` <${option.value}>`}`,
    option.summary,
  ])
  const rows = toTable([...positionals, ...flags])
  return [
    `${usageOf(name, args)}: ${summary}`,
    ...(rows.length === 0 ? [] : ['', ...rows]),
    ...(examples.length === 0 ? [] : ['', 'Examples', ...examples.map((line) => `  ${line}`)]),
  ].join('\n')
}
