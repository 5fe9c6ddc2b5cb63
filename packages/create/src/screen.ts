import { styleText } from 'node:util'

/** The command's output: a terminal or a log. */
export interface Screen {
  out(line: string): void
  err(line: string): void
  /** Overwrites the current line. Null if the output is not a terminal. */
  readonly rewrite: ((line: string) => void) | null
  paint(style: 'bold' | 'dim' | 'green' | 'red' | 'cyan', text: string): string
}

/** Creates a screen for this process. It uses colors on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function createScreen(env: NodeJS.ProcessEnv = process.env): Screen {
  const { stdout } = process
  const hasColours = stdout.isTTY && (env['NO_COLOR'] ?? '') === ''
  return {
    out: (line) => console.log(line),
    err: (line) => console.error(line),
    rewrite: stdout.isTTY ? (line) => void stdout.write(`\r\u001B[2K${line}`) : null,
    paint: (style, text) => (hasColours ? styleText(style, text) : text),
  }
}
