import type { RouteInfo } from '@sdk/server'

/** A source file that does not load, and what cannot run because of it. */
export interface Problem {
  /** The route that answers with this problem, such as `POST /agent/echo` or `/api/*`. */
  readonly route: string
  readonly message: string
  /** Relative to the project. */
  readonly file: string
  /** Where in the file, as far as it is known. */
  readonly place: { readonly line: number; readonly column: number } | null
  /** The lines around the place; empty where it is not known. */
  readonly frame: string
}

/** The parts of an app that the workbench reads; in a dev server they change. */
export interface WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  /** @default [] */
  readonly problems?: readonly Problem[]
}

/** The routes and problems of an app: the response of `GET /_workbench/api/manifest`. */
export interface Manifest {
  /** The name of the project's folder, without the path. */
  readonly project: string
  /** The whole path of the folder, to open files in an editor. */
  readonly root: string
  /** The git branch; null where there is none. */
  readonly branch: string | null
  /** Counts the loads of the code, from 1. */
  readonly revision: number
  /** Is the code being loaded, for the first time or again? */
  readonly isReloading: boolean
  /** Can the UI write new agents? */
  readonly canAdd: boolean
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
}

/** Information of a dev server about its project. */
export interface ProjectInfo extends Pick<
  Manifest,
  'project' | 'root' | 'branch' | 'revision' | 'isReloading' | 'canAdd'
> {}

/** Makes the manifest, with routes sorted by kind: agents, resources, routes, sockets. */
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
