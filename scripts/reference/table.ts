/** A table of Markdown; the formatter sees to its columns. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Text as it may stand in a cell. */
export function toCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
}

/** Words as they may stand in a cell: what looks like HTML is none. */
export function toWords(text: string): string {
  return toCell(text).replaceAll('<', '&lt;')
}
