import { setTimeout as sleep } from 'node:timers/promises'
import type { InspectedStep, RunInspection, StoredJson } from '@sdk/server'
import { printable } from '@sdk/server/node'
import { Failure, usageFailure } from '../failure.ts'
import type { Terminal } from '../terminal.ts'
import type { DurableRuns } from './durable-runs.ts'
import { toStepLine, toText, toWaitingText } from './format-durable-run.ts'

/** How often a run is read, in ms. */
const FOLLOW_MS = 300

/** A change of a run. */
type RunChange =
  | { readonly type: 'step'; readonly step: InspectedStep }
  | { readonly type: 'event'; readonly event: string; readonly value: StoredJson | null }
  | { readonly type: 'chunk'; readonly index: number; readonly chunk: StoredJson }
  | { readonly type: 'retract'; readonly keep: number }
  | { readonly type: 'status'; readonly status: string; readonly waiting: string | null }

/** Prints the steps, chunks and events of a durable run until it ends. Throws a `Failure` if it does not succeed. */
export async function followDurableRun(
  runs: DurableRuns,
  id: string,
  { isJson, terminal: { out } }: { isJson: boolean; terminal: Terminal },
): Promise<void> {
  const follower = new RunFollower()
  for (;;) {
    const found = await runs.find(id, follower.next)
    if (found === null) throw missingRun(id)
    const changes = follower.accept(found)
    for (const change of changes) out(isJson ? JSON.stringify(toJson(change)) : printable(toLine(change)))
    if (found.run.endedAt !== null && changes.length === 0) return printEnd(found, isJson, out)
    // If there are changes, there may be more chunks than one response contains.
    if (changes.length === 0) await sleep(FOLLOW_MS)
  }
}

/** Creates the failure for a run that does not exist. */
export function missingRun(id: string): Failure {
  return usageFailure(`durable run ${id} not found: it may have been deleted`, 'sdk runs --durable lists durable runs')
}

/** Finds what has changed in a run since it was last read. */
class RunFollower {
  /** The index of the next chunk. */
  next = 0
  readonly #steps = new Set<string>()
  readonly #events = new Set<string>()
  #epoch = 1
  #status = ''

  accept({ run, steps, events, attempts, chunks, firstChunk }: RunInspection): RunChange[] {
    const changes: RunChange[] = []
    const status = `${run.status} ${run.waiting}`
    const kept = attempts.flatMap(({ epoch, keep }) => (epoch > this.#epoch && keep !== null ? keep : []))
    const keep = Math.min(this.next, ...kept)
    if (keep < this.next) changes.push({ type: 'retract', keep })
    else
      for (const [offset, chunk] of chunks.entries()) changes.push({ type: 'chunk', index: firstChunk + offset, chunk })
    this.next = keep < this.next ? keep : this.next + chunks.length
    this.#epoch = Math.max(this.#epoch, run.epoch)
    for (const step of steps) if (isNew(this.#steps, step.name)) changes.push({ type: 'step', step })
    for (const { key, value } of events)
      if (isNew(this.#events, key)) changes.push({ type: 'event', event: key, value })
    if (status !== this.#status && run.endedAt === null)
      changes.push({ type: 'status', status: run.status, waiting: run.waiting })
    this.#status = status
    return changes
  }
}

function isNew(seen: Set<string>, name: string): boolean {
  const size = seen.size
  return seen.add(name).size > size
}

function toLine(change: RunChange): string {
  if (change.type === 'step') return toStepLine(change.step)
  if (change.type === 'event')
    return `event ${change.event} ${change.value === null ? 'timed out' : toText(change.value)}`
  if (change.type === 'chunk') return `chunk ${change.index + 1} ${toText(change.chunk)}`
  if (change.type === 'retract') return `retracted: ${change.keep} chunks remain`
  return `${change.status}${toWaitingText(change)}`
}

/** Converts a change to an object whose JSON values are parsed, unless they are truncated. */
function toJson(change: RunChange): object {
  if (change.type === 'step') return { type: 'step', ...change.step, value: toValue(change.step.value) }
  if (change.type === 'event') return { ...change, value: toValue(change.value) }
  if (change.type === 'status') return { ...change, waiting: JSON.parse(change.waiting ?? 'null') as unknown }
  return change.type === 'chunk' ? { type: 'chunk', index: change.index, value: toValue(change.chunk) } : change
}

function toValue(json: StoredJson | null): unknown {
  if (json === null) return null
  return json.text.length === json.size ? (JSON.parse(json.text) as unknown) : { truncated: json.text, size: json.size }
}

function printEnd({ run, output, error }: RunInspection, isJson: boolean, out: Terminal['out']): void {
  const { status } = run
  if (isJson) out(JSON.stringify({ type: 'end', status, output: toValue(output), error: toValue(error) }))
  else if (output !== null) out(`${status} ${printable(toText(output))}`)
  else out(status)
  if (status === 'done') return
  const { code = 'RUN_CANCELLED', message = 'The run was cancelled' } = (toValue(error) ?? {}) as {
    code?: string
    message?: string
  }
  throw new Failure(printable(`${code}: ${message}`), {
    code: 'CALL_FAILED',
    ...(error !== null && { fix: `for details, run sdk explain ${code}` }),
    answer: { code, message },
  })
}
