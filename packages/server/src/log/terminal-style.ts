/** Functions that style text for a terminal. */
export type TerminalStyle = Record<keyof typeof ANSI_CODES, (text: string) => string>

const ANSI_CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Creates functions that style text for a terminal, or that return it unchanged if `isColoured` is false. */
export function createTerminalStyle(isColoured: boolean): TerminalStyle {
  const styles = Object.entries(ANSI_CODES).map(([name, [open, close]]) => [
    name,
    (text: string): string => (isColoured ? `\u001B[${open}m${text}\u001B[${close}m` : text),
  ])
  return Object.fromEntries(styles) as TerminalStyle
}
