import { styleText } from 'node:util'

/** Where a person looks, or a log that nobody does. */
export interface Screen {
  out(line: string): void
  err(line: string): void
  /** Writes over the last line; null where lines stay. */
  readonly rewrite: ((line: string) => void) | null
  paint(style: 'bold' | 'dim' | 'green' | 'red' | 'cyan', text: string): string
}

/** The terminal of this process. Colours only where a person looks, and did not say no: https://no-color.org */
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
