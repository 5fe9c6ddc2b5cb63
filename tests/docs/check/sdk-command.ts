import { createTerminal, runCommandLine } from '@sdk/cli'

/** The options and arguments of an `sdk` command, according to its help. */
interface Takes {
  /** Each option, and whether it needs a value. */
  readonly options: ReadonlyMap<string, boolean>
  /** The minimum and maximum number of arguments. */
  readonly least: number
  readonly most: number
}

/** Returns the error in `sdk <command> …`; undefined if it is valid. */
export async function checkSdkCommand(args: readonly string[]): Promise<string | undefined> {
  const [name, ...rest] = args
  if (name === undefined || name.startsWith('-') || name === 'help') return undefined
  const takes = await readHelp(name)
  if (takes === undefined) return `there is no sdk ${name}`
  let positionals = 0
  for (let at = 0; at < rest.length; at++) {
    const [, option, value] = /^--([\w-]+)(=.*)?$/.exec(rest[at] ?? '') ?? []
    if (option === undefined) positionals++
    else if (!takes.options.has(option) && option !== 'help') return `sdk ${name} has no option --${option}`
    else if (takes.options.get(option) === true && value === undefined) at++
    if (at >= rest.length) return `--${option} needs a value`
  }
  if (positionals < takes.least || positionals > takes.most)
    return `sdk ${name} takes ${takes.least} to ${takes.most} arguments, not ${positionals}`
  return undefined
}

const known = new Map<string, Promise<Takes | undefined>>()

function readHelp(name: string): Promise<Takes | undefined> {
  const help = known.get(name) ?? runHelp(name)
  known.set(name, help)
  return help
}

async function runHelp(name: string): Promise<Takes | undefined> {
  const lines: string[] = []
  const terminal = { ...createTerminal(), out: (line = '') => void lines.push(line), err: () => {} }
  if ((await runCommandLine([name, '--help'], { cwd: '/', terminal })) !== 0) return undefined
  const [usage = '', ...rest] = lines.join('\n').split('\n')
  const [call = ''] = usage.split(': ')
  const options = rest.flatMap((line) => {
    const [, option, value] = /^ {2}--([\w-]+)( <)?/.exec(line) ?? []
    return option === undefined ? [] : [[option, value !== undefined] as const]
  })
  const least = call.split(' <').length - 1
  return { options: new Map(options), least, most: least + call.split(' [').length - 1 }
}
