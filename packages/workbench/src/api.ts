import type { AuthRouteInfo } from '@sdk/server'
import type { Manifest } from './manifest.ts'
import type { Run, RunError, RunState, RunSummary } from './run.ts'

/** Filters of a list of runs; a filter that is left out matches all runs. */
export interface RunFilter {
  /** The full name of the route. */
  readonly route?: string
  /** `running`, `done`, `failed`, `refused`, `cancelled`, or a status such as `404`. */
  readonly status?: RunState | string
  readonly caller?: string
  /** A user's id or email, or `anonymous`. */
  readonly identity?: string
  /** The minimum duration, in ms. */
  readonly slower?: number
  readonly requestId?: string
  /** Text that the route, the target or the error must contain. */
  readonly search?: string
  /** Returns only runs older than this id: the next page. */
  readonly before?: string
  /** @default 50, at most 500 */
  readonly limit?: number
}

/** The response of `GET /_workbench/api/runs`, newest first. */
export interface RunList {
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
  /** All callers in the store, as options for the filter. */
  readonly callers: readonly string[]
  /** The number of runs in the store. */
  readonly total: number
  /** The number of runs that match the filter and are older than `before`. */
  readonly matching: number
}

/** Runs that failed with the same error. */
export interface ErrorGroup {
  /** Identifies the error; stable across restarts. */
  readonly key: string
  readonly route: string | null
  readonly error: RunError
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** The newest runs of the group, at most 20. */
  readonly runIds: readonly string[]
}

/** A user of the app's auth database. */
export interface WorkbenchUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly createdAt: string
}

/** `GET /_workbench/api/users`; `hasAuth` is false if the app has no auth, or if its auth cannot list users. */
export interface UserList {
  readonly hasAuth: boolean
  readonly users: readonly WorkbenchUser[]
}

/** `POST /_workbench/api/sessions`: a real session of a user. The app accepts its token as `Authorization: Bearer`. */
export interface UserSession {
  readonly user: WorkbenchUser
  readonly token: string
  readonly expiresAt: string
}

/** Settings stored on disk. The browser stores the theme and the editor. */
export interface Settings {
  /** The maximum number of stored runs, without the pinned ones. @default 500 */
  readonly maxRuns: number
  /** The maximum size on disk, in bytes. @default 200 000 000 */
  readonly maxBytes: number
  /** Names of additional headers and fields whose values are redacted. @default [] */
  readonly redact: readonly string[]
  /** Whether runs are recorded. @default true */
  readonly isRecording: boolean
}

/** The response of `PUT /_workbench/api/settings`: the settings now in effect. */
export interface SavedSettings extends Settings {
  /** The error if the settings could not be written and are lost at the next start, otherwise null. */
  readonly fault: string | null
}

/** The server-sent events of `GET /_workbench/api/events`, by name. */
export interface WorkbenchEvents {
  /** A run started, changed (at most ten times a second) or ended. */
  run: RunSummary
  /** The project has changed: fetch the manifest again. */
  manifest: { readonly revision: number }
  /** A line of the app's log. */
  log: LogLine
  /** Runs were deleted. */
  cleared: Record<string, never>
}

/** A line of the log dock. */
export interface LogLine {
  readonly time: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The fields as JSON, or null. */
  readonly fields: string | null
  readonly requestId: string | null
}

/** A route that the wildcard of the auth routes matches. */
export type AuthRoute = AuthRouteInfo

/** The routes of the workbench API, with their inputs and outputs. */
export interface WorkbenchApi {
  'GET /_workbench/api/manifest': { output: Manifest }
  'GET /_workbench/api/runs': { query: RunFilter; output: RunList }
  'GET /_workbench/api/runs/:id': { output: Run }
  'POST /_workbench/api/runs/:id/pin': { input: { isPinned: boolean }; output: RunSummary }
  /** Deletes all runs that are not pinned. */
  'DELETE /_workbench/api/runs': { output: { deleted: number } }
  'GET /_workbench/api/errors': { output: { groups: readonly ErrorGroup[] } }
  /** Lists the routes that the wildcard of the auth routes matches; empty if the app has no sign-in. */
  'GET /_workbench/api/auth-routes': { output: { routes: readonly AuthRoute[] } }
  'GET /_workbench/api/users': { query: { search?: string }; output: UserList }
  'POST /_workbench/api/users': { input: { name: string; email: string }; output: WorkbenchUser }
  'POST /_workbench/api/sessions': { input: { userId: string }; output: UserSession }
  /** Ends the session of a token: the app rejects the token from then on, and its sockets close. */
  'POST /_workbench/api/sessions/end': { input: { token: string }; output: { ended: true } }
  'GET /_workbench/api/settings': { output: Settings }
  'PUT /_workbench/api/settings': { input: Settings; output: SavedSettings }
  /** Writes the files of a new agent, as `sdk add agent` does. Requires `canAdd` of the manifest. */
  'POST /_workbench/api/agents': { input: { name: string }; output: { files: readonly string[] } }
}
