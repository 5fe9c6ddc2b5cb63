/** Renders a Markdown table; the formatter aligns its columns. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Escapes text for a table cell. */
export function toCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
}

/** Escapes prose for a table cell, including text that looks like HTML. */
export function toWords(text: string): string {
  return toCell(text).replaceAll('<', '&lt;')
}
