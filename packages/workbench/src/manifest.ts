import type { LiveInspection, RouteInfo } from '@sdk/server'

/** A source file that failed to load, and the route that is broken as a result. */
export interface Problem {
  /** The affected route, such as `POST /agent/echo` or `/api/*`. */
  readonly route: string
  readonly message: string
  /** The file's path, relative to the project. */
  readonly file: string
  /** The position in the file, or null if unknown. */
  readonly place: { readonly line: number; readonly column: number } | null
  /** The source lines around the position, or an empty string if the position is unknown. */
  readonly frame: string
}

/** The parts of an app that the workbench reads. A dev server replaces them when it reloads the code. */
export interface WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  /** @default [] */
  readonly problems?: readonly Problem[]
  /** Returns the schedules of durable agents. @default [] */
  schedules?(): readonly WorkbenchSchedule[]
  /** The live data of the app. @default none */
  readonly '~live'?: { inspect(this: void): LiveInspection } | undefined
}

/** A schedule of a durable agent. */
export interface WorkbenchSchedule {
  readonly agent: string
  /** The cron expression and the time zone. */
  readonly name: string
  /** Returns the first tick after a time, in ms since the Unix epoch, or null if there is none. */
  next(this: void, after: number): number | null
}

/** A test runner that tests are written for. */
export type TestRunner = 'vitest' | 'node:test'

/** An app's routes and problems: the response of `GET /_workbench/api/manifest`. */
export interface Manifest {
  /** The name of the project's folder, without the path. */
  readonly project: string
  /** The absolute path of the project's folder, used to open files in an editor. */
  readonly root: string
  /** The current git branch, or null if there is none. */
  readonly branch: string | null
  /** The number of times that the code has been loaded, starting at 1. */
  readonly revision: number
  /** Whether the code is being loaded or reloaded. */
  readonly isReloading: boolean
  /** Whether the UI can create agents. */
  readonly canAdd: boolean
  /** The test runner of the project. */
  readonly testRunner: TestRunner
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
}

/** Information that a dev server has about its project. */
export interface ProjectInfo extends Pick<
  Manifest,
  'project' | 'root' | 'branch' | 'revision' | 'isReloading' | 'canAdd' | 'testRunner'
> {}

/** Creates the manifest, with routes sorted by kind: agents, resources, routes, sockets. */
export function toManifest(app: WorkbenchApp, info: ProjectInfo): Manifest {
  const order = ['agent', 'resource', 'route', 'socket']
  return {
    ...info,
    routes: app.routes.toSorted(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.route.localeCompare(b.route),
    ),
    problems: app.problems ?? [],
  }
}
