/** Where a command prints: one line a call. */
export interface Terminal {
  /** What the command was asked for. */
  out(line?: string): void
  /** Everything else: errors, hints. */
  err(line?: string): void
  readonly paint: Paint
}

/** Colours, or none. */
export type Paint = Record<keyof typeof CODES, (text: string) => string>

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** The terminal of this process. */
export function createTerminal(): Terminal {
  return {
    out: (line = '') => console.log(line),
    err: (line = '') => console.error(line),
    paint: createPaint(hasColours(process.env, process.stdout.isTTY)),
  }
}

/** Colours only where a person looks, and where they did not say no: https://no-color.org */
export function hasColours(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  return isTerminal || (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0')
}

/** Paints, or leaves text as it is. */
export function createPaint(isColoured: boolean): Paint {
  const brush =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      isColoured ? `\u001B[${open}m${text}\u001B[${close}m` : text
  return {
    bold: brush(CODES.bold),
    dim: brush(CODES.dim),
    red: brush(CODES.red),
    green: brush(CODES.green),
    yellow: brush(CODES.yellow),
    cyan: brush(CODES.cyan),
  }
}

/** Rows as aligned columns. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
