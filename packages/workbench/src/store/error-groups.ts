import { createHash } from 'node:crypto'
import type { ErrorGroup } from '../api.ts'
import type { RunError, RunSummary } from '../run.ts'

const MAX_IDS = 20

/** A run that may have failed, and the error that it threw. */
export interface RunOutcome {
  readonly summary: RunSummary
  readonly thrown: RunError | null
}

/** Groups failed runs by their error, latest first; `all` is sorted by id. */
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

/** Returns the error of a response with an error envelope for which nothing was thrown. */
function errorOfLine(line: string): RunError {
  const [, code = null, message = line] = /^([A-Z][A-Z0-9_]+): (.*)$/.exec(line) ?? []
  return { name: code ?? 'Error', message, code, frames: [], codeFrame: '', cause: null }
}

/** Returns the key of a group: the location in the code if known, since ids and times in messages differ. */
function groupKey(route: string | null, { name, message, frames }: RunError): string {
  const own = frames.find(({ isForeign }) => !isForeign)
  const location = own === undefined ? message.replaceAll(/\d+/g, '#') : `${own.file}:${own.line}`
  return createHash('sha256')
    .update(JSON.stringify([route, name, location]))
    .digest('hex')
    .slice(0, 16)
}
