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

/** The app as the workbench looks at it: whole, or a dev server whose app changes. */
export interface WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  /** @default [] */
  readonly problems?: readonly Problem[]
}

/** What the UI knows of an app: the answer of `GET /_workbench/api/manifest`. */
export interface Manifest {
  readonly project: string
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
}

/** The table of contents, sorted as it is read: agents, resources, routes, sockets. */
export function toManifest(app: WorkbenchApp, project: string): Manifest {
  const order = ['agent', 'resource', 'route', 'socket']
  return {
    project,
    routes: app.routes.toSorted(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.route.localeCompare(b.route),
    ),
    problems: app.problems ?? [],
  }
}
