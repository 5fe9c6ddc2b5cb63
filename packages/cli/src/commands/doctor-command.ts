import type { Command } from './command.ts'
import { findRoot } from '../discover.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { EXIT } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

/** The `sdk doctor` command. */
export const doctorCommand: Command = {
  summary: 'checks the project and shows how to fix problems',
  mode: 'development',
  options: { fix: { summary: 'applies safe fixes' }, json: { summary: 'prints the findings as JSON' } },
  examples: ['sdk doctor', 'sdk doctor --fix', "sdk doctor --json | jq '.[].code'"],
  async run({ cwd, terminal, has }) {
    const root = findRoot(cwd)
    const first = await examine(root)
    const fixed = has('fix') ? first.filter((finding) => finding.repair !== undefined) : []
    for (const finding of fixed) finding.repair?.()
    const left = first.filter((finding) => !fixed.includes(finding))
    if (has('json')) terminal.out(JSON.stringify([...fixed.map(toFixedJson), ...left.map(toOpenJson)], null, 2))
    else printFindings(fixed, left, terminal)
    return left.some(({ level }) => level === 'error') ? EXIT.failed : EXIT.ok
  },
}

function toFixedJson({ code, level, message, place, fix }: Finding): object {
  return { code, level, message, place, fix, isFixed: true }
}

function toOpenJson(finding: Finding): object {
  return { ...toFixedJson(finding), isFixed: false, canFix: finding.repair !== undefined }
}

function printFindings(fixed: readonly Finding[], left: readonly Finding[], { out, paint }: Terminal): void {
  const marks = { error: paint.red('✗'), warning: paint.yellow('!'), note: paint.dim('·') }
  for (const { message, code, place } of fixed)
    out(`${paint.green('✓')} ${place}: ${message} ${paint.dim(code)}, fixed`)
  for (const { level, place, message, code, fix } of left) {
    out(`${marks[level]} ${message.startsWith(place) ? '' : `${paint.bold(place)}: `}${message} ${paint.dim(code)}`)
    out(`    ${fix}`)
  }
  out(summaryOf(left))
}

function summaryOf(left: readonly Finding[]): string {
  const count = (level: Finding['level'], one: string): string[] => {
    const found = left.filter((finding) => finding.level === level).length
    return found === 0 ? [] : [`${found} ${one}${found === 1 ? '' : 's'}`]
  }
  const counts = [...count('error', 'error'), ...count('warning', 'warning'), ...count('note', 'note')]
  if (counts.length === 0) return 'no problems found'
  const safe = left.filter(({ repair }) => repair !== undefined).length
  const hint = safe === 0 ? '' : `; sdk doctor --fix can fix ${safe}`
  return `${counts.join(', ')}${hint}; for details, run sdk explain CODE`
}
