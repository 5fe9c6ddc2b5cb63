import type { Middleware } from '../define/middleware.ts'
import type { Endpoint } from './endpoint.ts'

/** An endpoint and its middleware. */
export interface RouteTarget {
  readonly endpoint: Endpoint
  readonly middleware: readonly Middleware[]
}

/** A route target with the values of the path parameters. */
export interface RouteMatch extends RouteTarget {
  readonly params: Record<string, string>
}
