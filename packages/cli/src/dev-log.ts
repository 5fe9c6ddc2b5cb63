import type { Log, LogFields } from '@sdk/server'
import type { Paint } from './terminal.ts'

/** Takes finished lines, and how they are painted. */
export interface DevLogOptions {
  readonly write: (line: string) => void
  readonly paint: Paint
  /** @default Date.now */
  readonly now?: () => number
}

/** A log for people: time, message, fields; an error with its stack. */
export function createDevLog({ write, paint, now = Date.now }: DevLogOptions): Log {
  const at = (mark: string) => (message: string, fields?: LogFields) => {
    const { stack, requestId: _, ...rest } = fields ?? {}
    if (rest['error'] === message) delete rest['error']
    const time = paint.dim(new Date(now()).toISOString().slice(11, 19))
    const text = Object.entries(rest).map(([name, value]) => paint.dim(`${name}=`) + JSON.stringify(value))
    write([time, mark, message, ...text].filter((part) => part !== '').join(' '))
    if (typeof stack === 'string') write(paint.dim(stack))
  }
  return { debug: at(paint.dim('debug')), info: at(''), warn: at(paint.yellow('warn')), error: at(paint.red('error')) }
}
