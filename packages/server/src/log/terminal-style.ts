/** Colours, or none. */
export type TerminalStyle = Record<keyof typeof ANSI_CODES, (text: string) => string>

const ANSI_CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Paints text for a terminal, or leaves it as it is. */
export function createTerminalStyle(isColoured: boolean): TerminalStyle {
  const brush =
    ([open, close]: readonly [number, number]) =>
    (text: string): string =>
      isColoured ? `\u001B[${open}m${text}\u001B[${close}m` : text
  return {
    bold: brush(ANSI_CODES.bold),
    dim: brush(ANSI_CODES.dim),
    red: brush(ANSI_CODES.red),
    green: brush(ANSI_CODES.green),
    yellow: brush(ANSI_CODES.yellow),
    cyan: brush(ANSI_CODES.cyan),
  }
}
