import { chunksFrom } from './follow-run.ts'
import {
  cutJson,
  INSPECT_LIMITS,
  type FoundRun,
  type FoundStep,
  type InspectableRunStore,
  type InspectedAttempt,
  type InspectedRun,
  type InspectedStep,
  type RunInspection,
  type StoredJson,
} from './store/run-inspector.ts'
import type { StoredRun } from './store/run-store.ts'
import { toGivenName } from './step/step-names.ts'

/** Inspects a run. Returns the chunks from the index `from` onward; the default is the newest ones. */
export async function inspectRun(
  store: Pick<InspectableRunStore, 'inspect' | 'read' | 'threads'>,
  id: string,
  from?: number,
): Promise<RunInspection | null> {
  const found = await store.inspect.find(id)
  if (found === null) return null
  const { run: stored, input, events } = found
  const { input: _input, output, error, chunks: chunkCount, retractions, ...run } = stored
  const firstChunk = from ?? Math.max(0, chunkCount - INSPECT_LIMITS.chunks)
  const read = await store.read(id, firstChunk)
  const chunks = read === null ? [] : chunksFrom(read, firstChunk).slice(0, INSPECT_LIMITS.chunks)
  const { agent, userId, thread } = run
  const isInThread = userId !== null && thread !== null
  const state = isInThread ? ((await store.threads.get({ agent, userId, thread }))?.state ?? null) : null
  const begun = found.steps.filter(({ name }) => !name.endsWith('#end'))
  const steps = begun.map((step) => toInspectedStep(step, found))
  const body = (text: string | null): StoredJson | null => cutJson(text, INSPECT_LIMITS.body)
  return {
    run,
    input,
    output: body(output),
    error: body(error),
    state: body(state),
    steps: steps.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt)),
    attempts: toAttempts(stored, steps),
    events,
    chunkCount,
    firstChunk,
    chunks: chunks.map((text, index) => ({
      text: text.slice(0, INSPECT_LIMITS.value),
      size: text.length,
      epoch: epochOf(retractions, firstChunk + index),
    })),
  }
}

/** Returns the attempt that produced a chunk. Each attempt after the first one has recorded how many chunks it kept. */
function epochOf(retractions: StoredRun['retractions'], index: number): number {
  return retractions.findLast(([, keep]) => keep <= index)?.[0] ?? 1
}

function toInspectedStep({ name, value, at, trace }: FoundStep, { run, events }: FoundRun): InspectedStep {
  const { kind = 'step', ms = 0, attempts = 1, epoch = 1, process = null } = trace ?? {}
  const shown = toGivenName(name)
  const common = { name: shown, kind, attempts, epoch, process, value }
  const startedAt = new Date(Date.parse(at) - ms).toISOString()
  // A sleep or a wait is stored when it begins, with the time at which it ends.
  if (kind === 'sleep') {
    // A short sleep can be over before it is stored.
    const due = new Date(Math.max(Number(value?.text), Date.parse(at))).toISOString()
    return { ...common, startedAt, endedAt: run.endedAt !== null && run.endedAt < due ? run.endedAt : due }
  }
  if (kind !== 'wait') return { ...common, startedAt, endedAt: at }
  const event = events.find((sent) => sent.key === shown)
  if (event === undefined) return { ...common, value: null, startedAt, endedAt: run.endedAt }
  // An event can be sent before the wait.
  return { ...common, value: event.value, startedAt, endedAt: event.at > at ? event.at : at }
}

function toAttempts({ epoch, process, retractions }: StoredRun & InspectedRun, steps: readonly InspectedStep[]) {
  const first = Math.max(1, epoch - INSPECT_LIMITS.attempts + 1)
  return Array.from({ length: epoch - first + 1 }, (_, index): InspectedAttempt => {
    const own = steps.filter((step) => step.epoch === first + index)
    const keep = retractions.find(([since]) => since === first + index)?.[1] ?? null
    const known = own[0]?.process ?? (first + index === epoch ? process : null)
    return { epoch: first + index, process: known, keep, steps: own.length }
  })
}
