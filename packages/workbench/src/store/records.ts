import type { Run } from '../run.ts'

/** A run in a file, stored as one line of JSON. */
export interface RunRecord {
  readonly run: Run
  readonly from: number
  /** The length of the line, including the line break. */
  readonly bytes: number
}

/** Serializes a run as a line. */
export function toRecordLine(run: Run): Buffer {
  return Buffer.from(`${JSON.stringify(run)}\n`)
}

/**
 * Returns the runs in a file and the number of invalid lines. Ignores an incomplete last line from a killed process.
 */
export function parseRecords(bytes: Buffer): { runs: RunRecord[]; bad: number } {
  const runs: RunRecord[] = []
  let bad = 0
  let from = 0
  while (from < bytes.length) {
    const end = bytes.indexOf('\n', from)
    const to = end === -1 ? bytes.length : end + 1
    const run = end === from ? null : parseRun(bytes.toString('utf8', from, to))
    if (run !== null) runs.push({ run, from, bytes: to - from })
    else if (end !== -1) bad += 1
    from = to
  }
  return { runs, bad }
}

/** Parses a line, or returns null if it is not a run. */
export function parseRun(line: string): Run | null {
  try {
    const value: unknown = JSON.parse(line)
    // Earlier versions did not record model calls, or their requests.
    const run: unknown = jsonType(value) === 'object' ? { models: [], recordings: [], ...(value as object) } : value
    return isRun(run) ? run : null
  } catch {
    return null
  }
}

/**
 * Checks every field, since a line that was edited by hand or written by a different version would break every list.
 */
function isRun(value: unknown): value is Run {
  if (jsonType(value) !== 'object') return false
  const fields = value as Record<string, unknown>
  return Object.entries(RUN_FIELDS).every(([name, kinds]) => kinds.includes(jsonType(fields[name])))
}

const RUN_FIELDS: { readonly [Name in keyof Run]: readonly string[] } = {
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
  models: ['array'],
  recordings: ['array'],
  logs: ['array'],
  thrown: ['object', 'null'],
  traceId: ['string', 'null'],
  closed: ['object', 'null'],
}

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
