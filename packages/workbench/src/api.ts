import type { AuthRouteInfo } from '@sdk/server'
import type { Manifest } from './manifest.ts'
import type { Run, RunError, RunState, RunSummary } from './run.ts'

/** Which runs a list shows; left out means all. */
export interface RunFilter {
  /** The route's whole name. */
  readonly route?: string
  /** `running`, `done`, `failed`, `refused`, `cancelled`, or a status such as `404`. */
  readonly status?: RunState | string
  readonly caller?: string
  /** A user's id or email, or `anonymous`. */
  readonly identity?: string
  /** At least so many ms. */
  readonly slower?: number
  readonly requestId?: string
  /** A part of the route, the target or the error. */
  readonly search?: string
  /** Only runs older than this id: the next page. */
  readonly before?: string
  /** @default 50, at most 500 */
  readonly limit?: number
}

/** `GET /_workbench/api/runs`: the newest first. */
export interface RunList {
  readonly runs: readonly RunSummary[]
  readonly hasMore: boolean
  /** All callers in the store, for the filters. */
  readonly callers: readonly string[]
  /** How many are in the store. */
  readonly total: number
  /** How many of them the filter lets through, older than `before`. */
  readonly matching: number
}

/** Runs that failed alike. */
export interface ErrorGroup {
  /** The same for the same error, over restarts. */
  readonly key: string
  readonly route: string | null
  readonly error: RunError
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** The newest of them, at most 20. */
  readonly runIds: readonly string[]
}

/** A user of the app's auth database. */
export interface WorkbenchUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly createdAt: string
}

/** `GET /_workbench/api/users`; `hasAuth` is false where the app has no auth, or one that cannot list its users. */
export interface UserList {
  readonly hasAuth: boolean
  readonly users: readonly WorkbenchUser[]
}

/** `POST /_workbench/api/sessions`: a real session of a user. The app takes its token as `Authorization: Bearer`. */
export interface UserSession {
  readonly user: WorkbenchUser
  readonly token: string
  readonly expiresAt: string
}

/** The settings that are kept on disk; the browser keeps the theme and the editor. */
export interface Settings {
  /** Runs that are kept beside the pinned ones. @default 500 */
  readonly maxRuns: number
  /** Bytes that are kept on disk. @default 200 000 000 */
  readonly maxBytes: number
  /** Further names of headers and fields whose values are hidden. @default [] */
  readonly redact: readonly string[]
  /** Is anything recorded? @default true */
  readonly isRecording: boolean
}

/** `PUT /_workbench/api/settings`: the settings from now on. */
export interface SavedSettings extends Settings {
  /** Why they could not be written, so that they are lost at the next start; null where they were. */
  readonly fault: string | null
}

/** The server-sent events of `GET /_workbench/api/events`, by name. */
export interface WorkbenchEvents {
  /** A run began, went on (at most ten times a second) or ended. */
  run: RunSummary
  /** The project has changed: read the manifest again. */
  manifest: { readonly revision: number }
  /** A line of the app's log. */
  log: LogLine
  /** Runs were deleted. */
  cleared: Record<string, never>
}

/** A line of the dock. */
export interface LogLine {
  readonly time: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** As JSON; null where there are none. */
  readonly fields: string | null
  readonly requestId: string | null
}

/** A route behind the wildcard of the auth routes. */
export type AuthRoute = AuthRouteInfo

/** The routes of the workbench's own API: what goes in, and what comes out. */
export interface WorkbenchApi {
  'GET /_workbench/api/manifest': { output: Manifest }
  'GET /_workbench/api/runs': { query: RunFilter; output: RunList }
  'GET /_workbench/api/runs/:id': { output: Run }
  'POST /_workbench/api/runs/:id/pin': { input: { isPinned: boolean }; output: RunSummary }
  /** Deletes all but the pinned ones. */
  'DELETE /_workbench/api/runs': { output: { deleted: number } }
  'GET /_workbench/api/errors': { output: { groups: readonly ErrorGroup[] } }
  /** The routes behind the wildcard of the auth routes; none where the app has no sign-in. */
  'GET /_workbench/api/auth-routes': { output: { routes: readonly AuthRoute[] } }
  'GET /_workbench/api/users': { query: { search?: string }; output: UserList }
  'POST /_workbench/api/users': { input: { name: string; email: string }; output: WorkbenchUser }
  'POST /_workbench/api/sessions': { input: { userId: string }; output: UserSession }
  /** Ends the session of a token: the app refuses it from then on, and its sockets close. */
  'POST /_workbench/api/sessions/end': { input: { token: string }; output: { ended: true } }
  'GET /_workbench/api/settings': { output: Settings }
  'PUT /_workbench/api/settings': { input: Settings; output: SavedSettings }
  /** Writes the files of a new agent, as `sdk add agent` does; only where `canAdd` of the manifest is true. */
  'POST /_workbench/api/agents': { input: { name: string }; output: { files: readonly string[] } }
}
