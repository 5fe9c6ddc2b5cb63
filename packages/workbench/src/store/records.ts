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
    const value: unknown = JSON.parse(line)
    return isRun(value) ? value : null
  } catch {
    return null
  }
}

/** Also those of another version, or that somebody edited: one that lacks a field would break every list. */
function isRun(value: unknown): value is Run {
  if (kindOf(value) !== 'object') return false
  const fields = value as Record<string, unknown>
  return Object.entries(SHAPE).every(([name, kinds]) => kinds.includes(kindOf(fields[name])))
}

const SHAPE: { readonly [Name in keyof Run]: readonly string[] } = {
  id: ['string'],
  requestId: ['string'],
  route: ['string', 'null'],
  kind: ['string'],
  method: ['string'],
  target: ['string'],
  state: ['string'],
  status: ['number'],
  startedAt: ['number'],
  ms: ['number', 'null'],
  bytes: ['number'],
  chunks: ['number'],
  caller: ['string'],
  identity: ['object', 'null'],
  error: ['string', 'null'],
  revision: ['number'],
  isPinned: ['boolean'],
  request: ['object'],
  response: ['object', 'null'],
  pieces: ['array'],
  spans: ['array'],
  logs: ['array'],
  thrown: ['object', 'null'],
  traceId: ['string', 'null'],
  closed: ['object', 'null'],
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

const LINE_END = 10
