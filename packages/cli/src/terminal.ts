import { createTerminalStyle, type TerminalStyle } from '@sdk/server/node'

/** The output of a command. `out` and `err` print one line per call. */
export interface Terminal {
  /** Prints a line of the command's result. */
  out(line?: string): void
  /** Prints text without a line break. */
  write(text: string): void
  /** Prints a line that is not part of the result, such as an error or a hint. */
  err(line?: string): void
  readonly paint: TerminalStyle
}

/** Creates a terminal for this process. */
export function createTerminal(): Terminal {
  return {
    out: (line = '') => console.log(line),
    write: (text) => void process.stdout.write(text),
    err: (line = '') => console.error(line),
    paint: createTerminalStyle(hasColours(process.env, process.stdout.isTTY)),
  }
}

/** Returns whether to use colors: on a terminal or with FORCE_COLOR, unless NO_COLOR is set (https://no-color.org). */
export function hasColours(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  return isTerminal || (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0')
}

/** Formats rows as aligned columns. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Wraps text at word boundaries into lines of at most `width` characters. A longer word gets its own line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
