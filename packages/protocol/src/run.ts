import type { ErrorEnvelope } from './envelope.ts'
import type { Page } from './page.ts'
import type { HasTypes, RouteIO } from './registry.ts'

/** The response header with the id of a durable agent's run. */
export const RUN_ID_HEADER = 'run-id'

/** The response header with the position of the first chunk in a stream. Callers keep only earlier chunks. */
export const RUN_POSITION_HEADER = 'run-position'

/** The request header with the id of the thread to which a run belongs. */
export const RUN_THREAD_HEADER = 'run-thread'

/** The type of the server-sent event that retracts chunks. Its data is a `Retraction`. Its id is the new position. */
export const RETRACT_EVENT = 'retract'

/** The data of a server-sent event that retracts chunks. */
export interface Retraction {
  /** The number of chunks that remain valid. All later chunks are void and are produced again. */
  keep: number
}

/**
 * A position in the chunks of a run, written as `epoch.index`. A chunk is sent as a server-sent event whose `id` is the
 * position of the next chunk.
 */
export interface RunPosition {
  /** The number of times that a process has started or taken over the run. */
  epoch: number
  /** The number of chunks before the position. */
  index: number
}

/** Parses a position such as `1.57`. Returns null if it is malformed. */
export function parseRunPosition(text: string | null | undefined): RunPosition | null {
  const [, epoch, index] = /^(\d{1,9})\.(\d{1,15})$/.exec(text ?? '') ?? []
  return epoch === undefined ? null : { epoch: Number(epoch), index: Number(index) }
}

/** Returns a position as text, such as `1.57`. */
export function formatRunPosition({ epoch, index }: RunPosition): string {
  return `${epoch}.${index}`
}

/** The status of a run. The last three statuses are final. */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'

/** The event or time that a run with the status `waiting` is waiting for. */
export interface RunWaiting {
  /** The name of the event, or null while the run sleeps. */
  event: string | null
  /** The id that distinguishes this wait from others for the same event, or null if it has no id. */
  id: string | null
  /** The value that the handler passed as `ask`, to show to the person who sends the event. */
  ask: unknown
  /** The time at which the wait times out, as ISO 8601, or null if it has no timeout. */
  until: string | null
}

/** A run of a durable agent, as returned by `GET …/runs/:run`. */
export interface Run<Output = unknown, Input = unknown> {
  id: string
  status: RunStatus
  /** The event or time that the run is waiting for, or null if its status is not `waiting`. */
  waiting: RunWaiting | null
  /** Whether the agent streams. The chunks of such a run are at `…/runs/:run/chunks`, and its `output` is null. */
  stream: boolean
  /** The number of times that the handler has started. */
  attempt: number
  /** The input of a run with the status `queued`, whose handler has not read it yet; otherwise null. */
  input: Input | null
  /** The result of a run with the status `done`; otherwise null. */
  output: Output | null
  /** The error of a run with the status `failed`; otherwise null. */
  error: ErrorEnvelope['error'] | null
  /** The time at which the run was created, as ISO 8601. */
  createdAt: string
  /** The time at which the run ended, as ISO 8601, or null if it has not ended. */
  endedAt: string | null
}

/** A thread of a durable agent, as returned by `GET …/threads/:thread`. */
export interface Thread<Output = unknown, State = unknown> {
  /** The state that the last successful run has stored, the default of the agent's `state` schema, or null. */
  state: State | null
  /** The newest run, or null if it is no longer stored. */
  run: Run<Output> | null
}

/** A thread in the list that `GET …/threads` returns. */
export interface ThreadSummary {
  id: string
  /** The time at which a run was last started or has stored the state, as ISO 8601. */
  usedAt: string
}

/** The types of the routes for a durable agent's runs, by method and path. */
export type RunRoutes<Agent extends HasTypes<RouteIO>> = CommonRunRoutes<Agent> & {
  [Event in keyof EventsOf<Agent> & string as `POST /runs/:run/events/${Event}`]: HasTypes<{
    input: EventsOf<Agent>[Event]
    output: null
    stream: false
    query: { id?: string | undefined }
  }>
}

type EventsOf<Agent extends HasTypes<RouteIO>> = Agent['~io'] extends { events: infer Events } ? Events : {}

/** The types of the routes that the runs of every durable agent have. */
interface CommonRunRoutes<Agent extends HasTypes<RouteIO>> {
  'GET /runs': HasTypes<{
    input: undefined
    output: Page<RunOf<Agent>>
    stream: false
    query: {
      limit?: number | undefined
      cursor?: string | undefined
      thread?: string | undefined
      waiting?: string | undefined
    }
  }>
  'GET /runs/:run': HasTypes<{
    input: undefined
    output: RunOf<Agent>
    stream: false
    query: { wait?: number | undefined }
  }>
  'DELETE /runs/:run': HasTypes<{ input: undefined; output: null; stream: false; query: {} }>
  'GET /runs/:run/chunks': HasTypes<{
    input: undefined
    output: Agent['~io']['output']
    stream: true
    query: { at?: string | undefined }
  }>
  'GET /threads/:thread': HasTypes<{
    input: undefined
    output: Thread<OutputOf<Agent>, StateOf<Agent>>
    stream: false
    query: {}
  }>
  'GET /threads': HasTypes<{
    input: undefined
    output: Page<ThreadSummary>
    stream: false
    query: { limit?: number | undefined; cursor?: string | undefined }
  }>
  'DELETE /threads/:thread': HasTypes<{ input: undefined; output: null; stream: false; query: {} }>
}

type StateOf<Agent extends HasTypes<RouteIO>> = Agent['~io'] extends { state: infer State } ? State : unknown

type RunOf<Agent extends HasTypes<RouteIO>> = Run<OutputOf<Agent>, Agent['~io']['input']>

type OutputOf<Agent extends HasTypes<RouteIO>> = Agent['~io']['stream'] extends true ? null : Agent['~io']['output']
