import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './page.ts'
import { checkSdkCommand } from './sdk-command.ts'

/** Returns the errors in the commands of a shell block, each with its line in the block, 0-based. */
export async function checkShell(text: string): Promise<{ line: number; problem: string }[]> {
  const problems: { line: number; problem: string }[] = []
  for (const [line, row] of text.replaceAll('\\\n', '  ').split('\n').entries()) {
    for (const words of toCommands(row)) {
      const problem = await checkCommand(words)
      if (problem !== undefined) problems.push({ line, problem })
    }
  }
  return problems
}

/** Splits the commands of a line into words, without variables and comments. */
export function toCommands(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [token] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s|;&"'#]|(?<=\S)#)+|[|;&]+|#.*/g)) {
    if (token.startsWith('#')) break
    if (/^[|;&]+$/.test(token)) commands.push([])
    else if (!isSetting(token) || (commands.at(-1)?.length ?? 0) > 0) commands.at(-1)?.push(token)
  }
  return commands.map((words) => words.filter((word) => !/^\d?[<>]/.test(word))).filter((words) => words.length > 0)
}

function isSetting(word: string): boolean {
  return word === '$' || word === 'exec' || /^\w+=/.test(word)
}

async function checkCommand([program, ...args]: readonly string[]): Promise<string | undefined> {
  if (program === 'sdk') return checkSdkCommand(args)
  if (program === 'npx' && args[0] === 'sdk') return checkSdkCommand(args.slice(1))
  if (program !== 'npm') return undefined
  const script = args[0] === 'run' ? args[1] : undefined
  if (script === undefined || scripts().has(script)) return undefined
  return `there is no script ${script}: neither here nor in a template or an example`
}

function scripts(): ReadonlySet<string> {
  const below = (folder: string): string[] => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
  const files = [
    'package.json',
    ...below('examples').map((folder) => `${folder}/package.json`),
    ...below('packages/create/template').map((folder) => `${folder}/_package.json`),
  ]
  return new Set(files.filter((file) => existsSync(join(ROOT, file))).flatMap((file) => scriptsOf(join(ROOT, file))))
}

function scriptsOf(file: string): string[] {
  const { scripts: all = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: object }
  return Object.keys(all)
}
