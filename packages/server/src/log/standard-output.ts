import { createBatchQueue, type BatchQueue } from './batch-queue.ts'
import { toJsonLine } from './log-line.ts'

/** A line, or a function that creates the line when it is written. */
export type LogLine = string | (() => string)

let sharedQueue: BatchQueue<LogLine> | undefined

/** Returns the queue for standard output. All loggers in the process share it, so that lines remain in order. */
export function standardOutput(): BatchQueue<LogLine> {
  if (sharedQueue !== undefined) return sharedQueue
  const queue = createBatchQueue<LogLine>({
    drain(lines, dropped) {
      const head = dropped === 0 ? [] : [droppedLine(dropped)]
      return writeLines([...head, ...lines.map(toLineText)].join('\n'))
    },
  })
  // Lines are also flushed after an uncaught exception, since the last ones may show its cause.
  processOf()?.on?.('exit', () => void queue.flush())
  return (sharedQueue = queue)
}

/** Returns the text of a line. */
export function toLineText(line: LogLine): string {
  return typeof line === 'string' ? line : line()
}

function droppedLine(count: number): string {
  const message = 'log lines were dropped: the reader of standard output is too slow'
  return toJsonLine({ time: Date.now(), level: 'warn', message, fields: { count } })
}

/** Writes lines. If the pipe is full, the next batch waits until it drains, so that memory usage remains bounded. */
function writeLines(text: string): void | Promise<void> {
  // oxlint-disable-next-line no-console -- unlike a write to the stream, it does not fail if the pipe is closed
  console.log(text)
  const out = processOf()?.stdout
  if (out?.writableNeedDrain !== true) return
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of DRAIN_EVENTS) out.off(event, done)
      resolve()
    }
    for (const event of DRAIN_EVENTS) out.on(event, done)
  })
}

const DRAIN_EVENTS = ['drain', 'error', 'close'] as const

/** Returns `process`, or undefined on platforms without it. */
function processOf(): Partial<Pick<NodeJS.Process, 'on' | 'stdout'>> | undefined {
  return (globalThis as { process?: NodeJS.Process }).process
}
