import type { AuthRouteInfo, InspectedRun, LiveInspection, RunInspection } from '@sdk/server'
import type { MatrixResult } from '@sdk/server/testing'
import type { Manifest } from './manifest.ts'
import type { Run, RunError, RunState, RunSummary } from './run.ts'

export type { MatrixCell, MatrixResult } from '@sdk/server/testing'
export type {
  InspectedAttempt,
  InspectedLiveList,
  InspectedRun,
  InspectedStep,
  RunInspection,
  StoredJson,
} from '@sdk/server'

/** Filters for a list of runs. A filter that is omitted matches all runs. */
export interface RunFilter {
  /** The full name of the route. */
  readonly route?: string
  /** A state (`running`, `done`, `failed`, `refused` or `cancelled`), or a response status such as `404`. */
  readonly status?: RunState | string
  readonly caller?: string
  /** A user's id or email, or `anonymous`. */
  readonly identity?: string
  /** The minimum duration, in ms. */
  readonly slower?: number
  readonly requestId?: string
  /** The id of the durable run that was executed. */
  readonly durableRun?: string
  /** A string that the route, the target or the error must contain. */
  readonly search?: string
  /** The id of a run. Only older runs are returned, so that a client can fetch the next page. */
  readonly before?: string
  /** @default 50, at most 500 */
  readonly limit?: number
}

/** The response of `GET /_workbench/api/runs`, newest first. */
export interface RunList {
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
  /** All callers in the store, offered as filter options. */
  readonly callers: readonly string[]
  /** The number of runs in the store. */
  readonly total: number
  /** The number of runs that match the filter and are older than `before`. */
  readonly matching: number
}

/** Filters for a list of durable runs. A filter that is omitted matches all of them. */
export interface DurableRunFilter {
  readonly agent?: string
  readonly status?: InspectedRun['status'] | ''
  readonly thread?: string
  /** The id of a run. Only older runs are returned. */
  readonly before?: string
  /** @default 50, at most 500 */
  readonly limit?: number
}

/** The response of `GET /_workbench/api/durable-runs`, newest first. */
export interface DurableRunList {
  /** Whether the app has a store for durable runs. */
  readonly isStored: boolean
  readonly runs: readonly InspectedRun[]
  readonly hasMore: boolean
  readonly schedules: readonly RunSchedule[]
}

/** A schedule of an agent. */
export interface RunSchedule {
  readonly agent: string
  /** The cron expression and the time zone. */
  readonly schedule: string
  /** The times of the next runs, in ISO 8601 format. */
  readonly next: readonly string[]
}

/** The response of `GET /_workbench/api/live`. It contains at most 200 lists. */
export interface LiveState extends LiveInspection {
  /** The number of lists, including those that are left out. */
  readonly total: number
}

/** A scored matrix that a test has stored, without its calls. */
export interface MatrixSummary extends Pick<MatrixResult, 'route' | 'at' | 'scores'> {
  readonly id: string
  /** The number of calls. */
  readonly calls: number
}

/** A test to write. */
export interface TestFile {
  /** The name of the test file and of the folder of its recordings, without an extension. */
  readonly name: string
  readonly code: string
}

/** A group of runs that failed with the same error. */
export interface ErrorGroup {
  /** A key that identifies the error and is stable across restarts. */
  readonly key: string
  readonly route: string | null
  readonly error: RunError
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** The newest runs in the group, at most 20. */
  readonly runIds: readonly string[]
}

/** A user in the app's auth database. */
export interface WorkbenchUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly createdAt: string
}

/**
 * The response of `GET /_workbench/api/users`. `hasAuth` is false if the app has no auth or its auth cannot list users.
 */
export interface UserList {
  readonly hasAuth: boolean
  readonly users: readonly WorkbenchUser[]
}

/**
 * The response of `POST /_workbench/api/sessions`: a real session for a user. The app accepts its token as
 * `Authorization: Bearer`.
 */
export interface UserSession {
  readonly user: WorkbenchUser
  readonly token: string
  readonly expiresAt: string
}

/** Settings that are stored on disk. The theme and the editor are stored in the browser instead. */
export interface Settings {
  /** The maximum number of stored runs, excluding pinned ones. @default 500 */
  readonly maxRuns: number
  /** The maximum size on disk, in bytes. @default 200_000_000 */
  readonly maxBytes: number
  /** The names of additional headers and fields whose values are redacted. @default [] */
  readonly redact: readonly string[]
  /** Whether runs are recorded. @default true */
  readonly isRecording: boolean
}

/** The response of `PUT /_workbench/api/settings`: the settings that are now in effect. */
export interface SavedSettings extends Settings {
  /** The error if the settings could not be saved and will be lost on restart, otherwise null. */
  readonly fault: string | null
}

/** The server-sent events that `GET /_workbench/api/events` emits, by name. */
export interface WorkbenchEvents {
  /** A run started, changed (at most ten times a second) or ended. */
  run: RunSummary
  /** The project has changed, so the manifest must be fetched again. */
  manifest: { readonly revision: number }
  /** The app logged a line. */
  log: LogLine
  /** Runs were deleted. */
  cleared: Record<string, never>
}

/** A line in the log dock. */
export interface LogLine {
  readonly time: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The fields as JSON, or null if the line has none. */
  readonly fields: string | null
  readonly requestId: string | null
}

/** An auth route of the app. All auth routes are registered as one wildcard route. */
export type AuthRoute = AuthRouteInfo

/** The routes of the workbench API, with their inputs and outputs. */
export interface WorkbenchApi {
  'GET /_workbench/api/manifest': { output: Manifest }
  'GET /_workbench/api/runs': { query: RunFilter; output: RunList }
  'GET /_workbench/api/runs/:id': { output: Run }
  'POST /_workbench/api/runs/:id/pin': { input: { isPinned: boolean }; output: RunSummary }
  /** Writes a test for a run to the project, with the recordings of its model calls. Never overwrites a test. */
  'POST /_workbench/api/runs/:id/test': { input: TestFile; output: { files: readonly string[] } }
  /** Deletes all runs that are not pinned. */
  'DELETE /_workbench/api/runs': { output: { deleted: number } }
  /** Lists the runs of durable agents, which are stored in the app's database. */
  'GET /_workbench/api/durable-runs': { query: DurableRunFilter; output: DurableRunList }
  /** Returns a durable run with its steps, attempts, chunks and events. `from` is the index of the first chunk. */
  'GET /_workbench/api/durable-runs/:id': { query: { from?: number }; output: RunInspection }
  /** Returns the live subscriptions to the app. */
  'GET /_workbench/api/live': { output: LiveState }
  /** Lists the scored matrices that tests have stored, newest first. */
  'GET /_workbench/api/matrix': { output: { results: readonly MatrixSummary[] } }
  'GET /_workbench/api/matrix/:id': { output: MatrixResult }
  'GET /_workbench/api/errors': { output: { groups: readonly ErrorGroup[] } }
  /** Lists the auth routes, which are registered as one wildcard route. The list is empty if the app has no sign-in. */
  'GET /_workbench/api/auth-routes': { output: { routes: readonly AuthRoute[] } }
  'GET /_workbench/api/users': { query: { search?: string }; output: UserList }
  'POST /_workbench/api/users': { input: { name: string; email: string }; output: WorkbenchUser }
  'POST /_workbench/api/sessions': { input: { userId: string }; output: UserSession }
  /** Ends the session that a token belongs to. The app then rejects the token and closes the session's sockets. */
  'POST /_workbench/api/sessions/end': { input: { token: string }; output: { ended: true } }
  'GET /_workbench/api/settings': { output: Settings }
  'PUT /_workbench/api/settings': { input: Settings; output: SavedSettings }
  /** Writes the files for a new agent, as `sdk add agent` does. Requires `canAdd` in the manifest. */
  'POST /_workbench/api/agents': { input: { name: string }; output: { files: readonly string[] } }
}
