import type { Command } from './command.ts'
import { usageFailure } from '../failure.ts'
import { closestMatch } from '../closest-match.ts'
import { EXPLAIN_CODES, findExplainPage, EXPLAIN_PAGES } from '../pages/pages.ts'
import type { Terminal } from '../terminal.ts'

/** The `sdk explain` command. */
export const explainCommand: Command = {
  summary: 'shows the meaning, cause and fix of an error code',
  args: [{ name: 'code', summary: 'an error code, an exit code or a socket close code', isOptional: true }],
  options: { json: { summary: 'prints the explanation as JSON' } },
  examples: ['sdk explain', 'sdk explain LOAD_FAILED', 'sdk explain 4401'],
  async run({ terminal, args: [code], has }) {
    if (code === undefined) return printAll(terminal, has('json'))
    const page = findExplainPage(code)
    if (page === null) throw unknownCode(code)
    const { out, paint } = terminal
    if (has('json')) return out(JSON.stringify(page, null, 2))
    out(paint.bold(page.code))
    out(page.means)
    out()
    out(`Why: ${page.why}`)
    out(`Fix: ${page.fix}`)
    out()
    for (const line of page.example.split('\n')) out(`    ${line}`)
  },
}

function printAll({ out, paint }: Terminal, isJson: boolean): void {
  if (isJson) return out(JSON.stringify(EXPLAIN_CODES, null, 2))
  for (const [title, pages] of Object.entries(EXPLAIN_PAGES)) {
    out(paint.bold(title))
    for (const [code, { means }] of Object.entries(pages)) out(`  ${code}  ${paint.dim(means)}`)
    out()
  }
}

function unknownCode(code: string): Error {
  const codes = EXPLAIN_CODES.map((known) => known.toLowerCase())
  const near = closestMatch(code, codes)?.toUpperCase()
  return usageFailure(
    `no explanation found for ${JSON.stringify(code)}: it may be defined by your app`,
    near === undefined ? 'sdk explain lists all codes' : `did you mean sdk explain ${near}?`,
  )
}
