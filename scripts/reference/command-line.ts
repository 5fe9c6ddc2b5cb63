import { runCommandLine } from '@sdk/cli'
import { createTerminalStyle } from '@sdk/server/node'

/** Runs `sdk` and returns its output. */
export async function ask(args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const out = (line = ''): void => void lines.push(line)
  const terminal = { out, write: out, err: out, paint: createTerminalStyle(false) }
  const exitCode = await runCommandLine(args, { cwd: import.meta.dirname, terminal })
  if (exitCode !== 0) throw new Error(`sdk ${args.join(' ')} exited with ${exitCode}: ${lines.join('\n')}`)
  return lines.join('\n')
}

/** The output of `sdk explain` for a code. */
export interface Explanation {
  /** The title of its group. */
  readonly title: string
  readonly code: string
  readonly means: string
  readonly why: string
  readonly fix: string
}

let explanations: Promise<Explanation[]> | undefined

/** Returns all pages of `sdk explain`. */
export function readExplanations(): Promise<Explanation[]> {
  return (explanations ??= explainAll())
}

async function explainAll(): Promise<Explanation[]> {
  const found: Explanation[] = []
  let title = ''
  for (const line of (await ask(['explain'])).split('\n')) {
    const [, code] = /^ {2}(\S+)/.exec(line) ?? []
    if (code !== undefined)
      found.push({ title, ...(JSON.parse(await ask(['explain', code, '--json'])) as Omit<Explanation, 'title'>) })
    else if (line !== '') title = line
  }
  return found
}
