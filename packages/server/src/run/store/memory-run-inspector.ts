import { cutJson, INSPECT_LIMITS, type FoundRun, type InspectedRun, type RunInspector } from './run-inspector.ts'
import type { FinishedStep, NewRun, RunPause, RunStore, SentEvent, StoredRun } from './run-store.ts'

/** A step in memory, with its origin. */
export interface MemoryStep extends FinishedStep {
  readonly at: number
  readonly epoch: number
  readonly process: string
}

/** An event in memory. */
export interface MemoryEvent extends SentEvent {
  readonly at: number
}

/** The part of a run in memory that an inspection needs. */
interface InspectableRun extends Pick<NewRun, 'id' | 'input'> {
  readonly owner: string | null
  readonly pause: RunPause | null
  readonly steps: ReadonlyMap<string, MemoryStep>
  readonly events: ReadonlyMap<string, MemoryEvent>
}

/** Creates the inspector of a store in memory. */
export function memoryInspector(all: () => readonly InspectableRun[], store: Pick<RunStore, 'get'>): RunInspector {
  const read = async (run: InspectableRun): Promise<(StoredRun & InspectedRun)[]> => {
    const stored = await store.get(run.id)
    const dueAt = stored?.status === 'waiting' ? (run.pause?.dueAt ?? null) : null
    const stepCount = [...run.steps.keys()].filter((name) => !name.endsWith('#end')).length
    return stored === null ? [] : [{ ...stored, process: run.owner, dueAt, stepCount }]
  }
  return {
    async list({ agent, status, thread, before, limit }) {
      const runs = (await Promise.all(all().map(read))).flat()
      const last = runs.find(({ id }) => id === before)
      const matches = (run: InspectedRun): boolean =>
        [agent ?? run.agent, status ?? run.status, thread ?? run.thread].join('\n') ===
        [run.agent, run.status, run.thread].join('\n')
      const isOlder = (run: InspectedRun): boolean => before === null || (last !== undefined && compare(run, last) > 0)
      const found = runs.filter((run) => matches(run) && isOlder(run)).toSorted(compare)
      return found.slice(0, limit).map(toListed)
    },
    async find(id): Promise<FoundRun | null> {
      const found = all().find((run) => run.id === id)
      const [run] = found === undefined ? [] : await read(found)
      if (found === undefined || run === undefined) return null
      const toTime = (at: number): string => new Date(at).toISOString()
      const steps = [...found.steps.values()].slice(-INSPECT_LIMITS.rows)
      const events = [...found.events.values()].slice(-INSPECT_LIMITS.rows)
      return {
        run,
        input: cutJson(found.input, INSPECT_LIMITS.body),
        steps: steps.map(({ name, value, chunks, at, trace, epoch, process }) => ({
          name,
          chunks,
          at: toTime(at),
          value: cutJson(value, INSPECT_LIMITS.value),
          trace: { ...trace, epoch, process },
        })),
        events: events.map(({ key, value, at }) => ({
          key,
          at: toTime(at),
          value: cutJson(value, INSPECT_LIMITS.value),
        })),
      }
    },
  }
}

function toListed(run: StoredRun & InspectedRun): InspectedRun {
  const { input: _input, output: _output, error: _error, chunks: _chunks, retractions: _retractions, ...listed } = run
  return listed
}

function compare(a: Pick<StoredRun, 'createdAt' | 'id'>, b: Pick<StoredRun, 'createdAt' | 'id'>): number {
  const [first, second] = [`${a.createdAt} ${a.id}`, `${b.createdAt} ${b.id}`]
  return first < second ? 1 : first > second ? -1 : 0
}
