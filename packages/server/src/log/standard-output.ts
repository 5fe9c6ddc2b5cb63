import { createBatchQueue, type BatchQueue } from './batch-queue.ts'
import { toJsonLine } from './log-line.ts'

/** A line, or what makes it when it is written. */
export type LogLine = string | (() => string)

let sharedQueue: BatchQueue<LogLine> | undefined

/** Standard output as a queue of lines. There is one for the process, so lines stay in order whoever writes them. */
export function standardOutput(): BatchQueue<LogLine> {
  if (sharedQueue !== undefined) return sharedQueue
  const queue = createBatchQueue<LogLine>({
    drain(lines, dropped) {
      const head = dropped === 0 ? [] : [droppedLine(dropped)]
      return writeLines([...head, ...lines.map(toLineText)].join('\n'))
    },
  })
  // Also after an exception that nobody caught: the last lines tell why.
  processOf()?.on?.('exit', () => void queue.flush())
  return (sharedQueue = queue)
}

/** Makes the text of a line. */
export function toLineText(line: LogLine): string {
  return typeof line === 'string' ? line : line()
}

function droppedLine(count: number): string {
  const message = 'log lines were dropped: what reads standard output is too slow'
  return toJsonLine({ time: Date.now(), level: 'warn', message, fields: { count } })
}

/** A pipe that is full takes lines into memory without end: then the next batch waits until it has drained. */
function writeLines(text: string): void | Promise<void> {
  // oxlint-disable-next-line no-console -- unlike a write to the stream, it survives a reader that has gone
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

/** There are platforms without it. */
function processOf(): Partial<Pick<NodeJS.Process, 'on' | 'stdout'>> | undefined {
  return (globalThis as { process?: NodeJS.Process }).process
}
