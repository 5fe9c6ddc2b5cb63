/** A part of `benchmarks/results.md`: what was run, where, and the figures. */
export interface Result {
  readonly name: string
  /** The command, and what else its line says. */
  readonly command: string
  readonly machine: string
  readonly tables: readonly Table[]
}

/** A table of figures: the first row is the head, the first column has the names. Cells are Markdown. */
export type Table = readonly (readonly string[])[]

/** One bar: who, and how much. */
export interface Figure {
  readonly name: string
  readonly isOurs: boolean
  readonly text: string
  /** Null where it is no number, as `never`. */
  readonly value: number | null
}

/** Reads the parts of the results. */
export function parseResults(markdown: string): Result[] {
  return markdown.split(/^## /m).slice(1).map(toResult)
}

/** The figures of a column; or those of a row, where peers stand side by side: `row: idle RSS, MB`. */
export function figuresOf(table: Table, wanted: string): Figure[] {
  const [, row] = /^row: (.*)$/.exec(wanted) ?? []
  const [head = [], ...rows] = row === undefined ? table : transpose(table)
  const at = head.findIndex((cell, index) => index > 0 && toPlain(cell) === toPlain(row ?? wanted))
  if (at === -1) throw new TypeError(`there is no "${wanted}" in ${head.map(toPlain).join(' | ')}`)
  return rows.map((cells) => toFigure(cells[0] ?? '', cells[at] ?? ''))
}

/** Markdown without its marks. */
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
