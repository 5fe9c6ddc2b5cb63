import { readResults, type LineResult } from '../../tests/runtimes/results.ts'
import type { RuntimeName } from '../../tests/runtimes/runtimes.ts'
import { toTable } from './table.ts'

const TITLES: Readonly<Record<RuntimeName, string>> = {
  node20: 'Node 20',
  node22: 'Node 22',
  node24: 'Node 24',
  bun: 'Bun',
  deno: 'Deno',
  workerd: 'workerd',
}

/** Returns the results of the contract suite, followed by the reasons for the lines that a runtime lacks. */
export function runtimesTable(): string {
  const results = readResults()
  const names = (Object.keys(TITLES) as RuntimeName[]).filter((name) => results[name] !== undefined)
  const all = names.flatMap((name) => results[name] ?? [])
  const parts = new Map(all.map(({ part, title }) => [title, part]))
  const reasons = [...new Set(all.flatMap(({ result }) => (result === 'passed' ? [] : [result.lacks])))]
  const toCell = (one: LineResult | undefined): string => {
    if (one === undefined) return 'not tested'
    return one.result === 'passed' ? 'yes' : `no (${reasons.indexOf(one.result.lacks) + 1})`
  }
  const cellsOf = (title: string): string[] =>
    names.map((name) => toCell(results[name]?.find((one) => one.title === title)))
  const rows = Array.from(parts, ([title, part]) => [part, title, ...cellsOf(title)])
  const countOf = (name: RuntimeName): string =>
    `${results[name]?.filter(({ result }) => result === 'passed').length} of ${parts.size}`
  const head = ['Part', 'Promise', ...names.map((name) => TITLES[name])]
  const table = toTable(head, [
    ...rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    ['', 'Passed', ...names.map(countOf)],
  ])
  return [table, ...reasons.map((reason, index) => `${index + 1}. ${reason}.`)].join('\n\n')
}
