import type { RunStatus } from '@sdk/protocol'
import type { RunStore, SentEvent, StoredRun } from './run-store.ts'
import type { StepTrace } from '../step/step-traces.ts'

/** A run store that development tools can inspect. */
export interface InspectableRunStore extends RunStore {
  readonly inspect: RunInspector
}

/**
 * The read-only part of a run store for development tools. It returns the runs of all users, so it must never be
 * accessible through a public route.
 */
export interface RunInspector {
  /** Returns runs, newest first. */
  list(query: InspectQuery): Promise<InspectedRun[]>
  /** Returns a run with its newest steps and events, or null if it does not exist. */
  find(id: string): Promise<FoundRun | null>
}

/** A query for the runs of all users. Null matches every run. */
export interface InspectQuery {
  readonly agent: string | null
  readonly status: RunStatus | null
  readonly thread: string | null
  /** The id of the last run of the previous page, or null for the first page. */
  readonly before: string | null
  readonly limit: number
}

/** A run in the list of all runs. */
export interface InspectedRun extends Omit<StoredRun, 'input' | 'output' | 'error' | 'chunks' | 'retractions'> {
  /** The process that executes the run, or null. */
  readonly process: string | null
  /** The time at which a waiting run continues, or null if only an event continues it. */
  readonly dueAt: string | null
  /** The number of finished steps. */
  readonly stepCount: number
}

/** JSON that may be truncated. */
export interface StoredJson {
  readonly text: string
  /** The number of characters before truncation. */
  readonly size: number
}

/** A run as it is stored. */
export interface FoundRun {
  readonly run: StoredRun & InspectedRun
  readonly input: StoredJson | null
  /** The newest steps, at most `INSPECT_LIMITS.rows`. */
  readonly steps: readonly FoundStep[]
  /** The newest events, at most `INSPECT_LIMITS.rows`. */
  readonly events: readonly InspectedEvent[]
}

/** A finished step as it is stored. */
export interface FoundStep {
  readonly name: string
  readonly value: StoredJson | null
  readonly chunks: number
  /** The time at which the step was stored, in ISO 8601 format. */
  readonly at: string
  /** Null for a step that was stored by an earlier version. */
  readonly trace: StoredTrace | null
}

/** The origin of a finished step. */
export interface StoredTrace extends Partial<StepTrace> {
  readonly epoch: number
  readonly process: string
}

/** An event that was sent to a run. */
export interface InspectedEvent {
  readonly key: SentEvent['key']
  /** The value, or null if the wait has timed out. */
  readonly value: StoredJson | null
  readonly at: string
}

/** A step on the time axis of a run. */
export interface InspectedStep extends Omit<StepTrace, 'ms'> {
  readonly name: string
  readonly startedAt: string
  /** The end, which is in the future while the run sleeps. Null while the run waits for an event. */
  readonly endedAt: string | null
  /** The value of the step, or of the event that a wait received. */
  readonly value: StoredJson | null
  /** The attempt of the run that finished the step. */
  readonly epoch: number
  /** The process that finished the step, or null if it is unknown. */
  readonly process: string | null
}

/** An attempt of a run: a process has started or continued it. */
export interface InspectedAttempt {
  readonly epoch: number
  /** The process, or null if the attempt has finished no step. */
  readonly process: string | null
  /** The number of chunks that were kept when the attempt began, or null if no chunks were retracted. */
  readonly keep: number | null
  /** The number of steps that the attempt has finished. */
  readonly steps: number
}

/** A run with its steps, attempts, chunks and events. */
export interface RunInspection {
  readonly run: InspectedRun
  readonly input: StoredJson | null
  readonly output: StoredJson | null
  readonly error: StoredJson | null
  /** The current state of the run's thread, or null if there is none. */
  readonly state: StoredJson | null
  /** The steps in the order in which they started. */
  readonly steps: readonly InspectedStep[]
  /** The newest attempts, oldest first. */
  readonly attempts: readonly InspectedAttempt[]
  readonly events: readonly InspectedEvent[]
  /** The total number of chunks. */
  readonly chunkCount: number
  /** The index of the first item in `chunks`. */
  readonly firstChunk: number
  readonly chunks: readonly InspectedChunk[]
}

/** A chunk that has not been retracted. */
export interface InspectedChunk extends StoredJson {
  /** The attempt that produced the chunk. */
  readonly epoch: number
}

/** The limits of an inspection. `value` and `body` are numbers of characters. */
export const INSPECT_LIMITS = { rows: 1000, value: 4096, body: 65_536, chunks: 500, attempts: 100 } as const

/** Truncates JSON. */
export function cutJson(text: string | null, limit: number): StoredJson | null {
  return text === null ? null : { text: text.slice(0, limit), size: text.length }
}
