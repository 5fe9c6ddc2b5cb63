import type { Run } from '../run.ts'

/** A run in a file: one line of JSON. */
export interface Recorded {
  readonly run: Run
  readonly from: number
  /** With its line end. */
  readonly bytes: number
}

/** What a file holds. */
export interface Records {
  readonly runs: readonly Recorded[]
  /** Lines that are no runs; a last one that was torn off is none of them. */
  readonly bad: number
}

/** A run as a line. */
export function toLine(run: Run): Buffer {
  return Buffer.from(`${JSON.stringify(run)}\n`)
}

/** Reads lines; a last one that is not whole is left out, since its process died while it wrote. */
export function parseRecords(bytes: Buffer): Records {
  const runs: Recorded[] = []
  let bad = 0
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf(LINE_END, from)
    const to = end === -1 ? bytes.length : end + 1
    const run = end === from ? null : parseRun(bytes.toString('utf8', from, to))
    if (run !== null) runs.push({ run, from, bytes: to - from })
    else if (end !== -1) bad += 1
    from = to
  }
  return { runs, bad }
}

/** Null where the line is none. */
export function parseRun(line: string): Run | null {
  try {
    const run = JSON.parse(line) as Partial<Run> | null
    const isRun = typeof run?.id === 'string' && Array.isArray(run.pieces) && typeof run.request === 'object'
    return isRun ? (run as Run) : null
  } catch {
    return null
  }
}

const LINE_END = 10
