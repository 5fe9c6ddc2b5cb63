/** A part of `benchmarks/results.md`: the command, the machine and the figures. */
export interface Result {
  readonly name: string
  /** The command, and the rest of its line. */
  readonly command: string
  readonly machine: string
  readonly tables: readonly Table[]
}

/** A table of figures: the first row is the header, the first column has the names. Cells are Markdown. */
export type Table = readonly (readonly string[])[]

/** One bar of a chart. */
export interface Figure {
  readonly name: string
  readonly isOurs: boolean
  readonly text: string
  /** Null if the cell is not a number, such as `never`. */
  readonly value: number | null
}

/** Parses the parts of the results. */
export function parseResults(markdown: string): Result[] {
  return markdown.split(/^## /m).slice(1).map(toResult)
}

/** Returns the figures of a column, or of a row if the peers are columns: `row: idle RSS, MB`. */
export function figuresOf(table: Table, wanted: string): Figure[] {
  const [, row] = /^row: (.*)$/.exec(wanted) ?? []
  const [head = [], ...rows] = row === undefined ? table : transpose(table)
  const at = head.findIndex((cell, index) => index > 0 && toPlain(cell) === toPlain(row ?? wanted))
  if (at === -1) throw new TypeError(`no column "${wanted}" in ${head.map(toPlain).join(' | ')}`)
  return rows.map((cells) => toFigure(cells[0] ?? '', cells[at] ?? ''))
}

/** Removes the markup of Markdown. */
export function toPlain(markdown: string): string {
  return markdown.replaceAll(/\*\*|`/g, '').trim()
}

function toResult(part: string): Result {
  const [name = '', command = '', machine = ''] = part.split(/\n\n+/).map((paragraph) => paragraph.trim())
  const tables = part.split(/\n\n+/).filter((paragraph) => paragraph.startsWith('|'))
  return { name, command, machine: /^[^]*?(?=;|\.\s|\.?$)/.exec(machine)?.[0] ?? '', tables: tables.map(toTable) }
}

function toTable(text: string): Table {
  const rows = text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  return rows.filter((_row, index) => index !== 1)
}

function transpose(table: Table): Table {
  return (table[0] ?? []).map((_cell, column) => table.map((row) => row[column] ?? ''))
}

function toFigure(name: string, cell: string): Figure {
  const text = toPlain(cell)
  const [number] = /^\d[\d,]*(?:\.\d+)?/.exec(text) ?? []
  const isOurs = /\*\*|@sdk|^ours\b/.test(name)
  return { name: toPlain(name), isOurs, text, value: number === undefined ? null : Number(number.replaceAll(',', '')) }
}
