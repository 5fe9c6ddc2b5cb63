import { escapeHtml } from '../html.ts'
import { figuresOf, parseResults, toPlain, type Figure, type Result } from './results.ts'

/** Renders the chart that an HTML comment requests; undefined for any other comment. */
export type Charts = (comment: string) => string | undefined

/**
 * Creates charts from `benchmarks/results.md`. A page requests one with
 * `<!-- chart: part of the results | which of its tables | column | what it says -->`, and `| a; b` for some rows only.
 */
export function createCharts(results: string): Charts {
  const parts = parseResults(results)
  return (comment) => {
    const [, asked] = /^<!-- chart: (.*?) -->\s*$/.exec(comment) ?? []
    if (asked === undefined) return undefined
    const [name = '', number = '', column = '', caption = '', only] = asked.split(' | ')
    const part = parts.find((one) => one.name === name)
    const table = part?.tables[Number(number) - 1]
    if (part === undefined || table === undefined) throw new TypeError(`results.md has no table "${asked}"`)
    const figures = figuresOf(table, column)
    const some = only?.split('; ').flatMap((one) => figures.find((figure) => figure.name === one) ?? [])
    return toChart(part, caption, some ?? figures)
  }
}

/** Renders a table with a bar in each row, which screen readers can read. */
function toChart(part: Result, caption: string, figures: readonly Figure[]): string {
  const most = Math.max(...figures.map(({ value }) => value ?? 0))
  const peers = figures.filter(({ isOurs }) => !isOurs).map(({ name }) => name)
  const beside = peers.length === 0 ? '' : ` · compared with ${peers.join(', ')}`
  return `<figure class="chart"><div class="table" role="group" aria-label="${escapeHtml(caption)}" tabindex="0"><table>
<caption>${escapeHtml(caption)}</caption>
<thead class="hidden"><tr><th scope="col">Name</th><td></td><th scope="col">Value</th></tr></thead>
<tbody>${figures.map((figure) => toRow(figure, most)).join('\n')}</tbody>
</table></div>
<figcaption><code>${escapeHtml(toCommand(part.command))}</code> · ${escapeHtml(toPlain(part.machine))}${escapeHtml(beside)}</figcaption>
</figure>
`
}

function toRow({ name, isOurs, text, value }: Figure, most: number): string {
  const width = value === null || most === 0 ? 0 : Math.max(0.5, (100 * value) / most)
  const bar = `<svg width="100%" height="14" aria-hidden="true"><rect width="${width.toFixed(1)}%" height="14" rx="3"/></svg>`
  return `<tr${isOurs ? ' class="ours"' : ''}><th scope="row">${escapeHtml(name)}</th><td class="bar">${bar}</td><td class="value">${escapeHtml(text)}</td></tr>`
}

function toCommand(line: string): string {
  return /`([^`]+)`/.exec(line)?.[1] ?? line
}
