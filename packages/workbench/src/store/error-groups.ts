import { createHash } from 'node:crypto'
import type { ErrorGroup } from '../api.ts'
import type { RunError, RunSummary } from '../run.ts'

const MAX_IDS = 20

/** A run that may have failed, with the error that it threw. */
export interface RunOutcome {
  readonly summary: RunSummary
  readonly thrown: RunError | null
}

/** Groups failed runs by their error, latest first. `all` must be sorted by id. */
export function groupErrors(all: readonly RunOutcome[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>()
  for (const { summary, thrown } of all.toReversed()) {
    if (summary.state !== 'failed') continue
    const error = thrown ?? errorOfLine(summary.error ?? `HTTP ${summary.status}`)
    const key = groupKey(summary.route, error)
    const { id, route, startedAt: at } = summary
    const group = groups.get(key) ?? { key, route, error, count: 0, firstAt: at, lastAt: at, runIds: [] }
    const runIds = group.runIds.length < MAX_IDS ? [...group.runIds, id] : group.runIds
    groups.set(key, { ...group, count: group.count + 1, firstAt: at, runIds })
  }
  return [...groups.values()]
}

/** Creates the error for a run that failed without throwing. */
function errorOfLine(line: string): RunError {
  const [, code = null, message = line] = /^([A-Z][A-Z0-9_]+): (.*)$/.exec(line) ?? []
  return { name: code ?? 'Error', message, code, frames: [], codeFrame: '', cause: null }
}

/**
 * Returns a group's key. It uses the source location if known, since messages can contain ids and times that differ.
 */
function groupKey(route: string | null, { name, message, frames }: RunError): string {
  const own = frames.find(({ isForeign }) => !isForeign)
  const location = own === undefined ? message.replaceAll(/\d+/g, '#') : `${own.file}:${own.line}`
  return createHash('sha256')
    .update(JSON.stringify([route, name, location]))
    .digest('hex')
    .slice(0, 16)
}
