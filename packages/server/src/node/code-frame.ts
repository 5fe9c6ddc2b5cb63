/** A position in source code. Line and column are 1-based. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** Returns the lines around a position, with a caret below it. */
export function codeFrame(source: string, { line, column }: SourcePosition, around = 2): string {
  const lines = source.split(/\r?\n/)
  const first = Math.max(1, line - around)
  const last = Math.min(lines.length, line + around)
  const width = String(last).length
  const rows: string[] = []
  for (let number = first; number <= last; number++) {
    const text = (lines[number - 1] ?? '').replaceAll('\t', ' ')
    rows.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`.trimEnd())
    if (number === line) rows.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`)
  }
  return rows.join('\n')
}
