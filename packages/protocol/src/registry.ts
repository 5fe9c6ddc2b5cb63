/**
 * The routes of your app, by their strings. Empty here; filled by declaration merging,
 * from the generated `sdk-routes.d.ts` or by hand:
 * @example
 * declare module '@sdk/protocol' {
 *   interface Routes { 'POST /agent/echo': typeof import('./agent/echo/index.ts').default }
 * }
 */
export interface Routes {}

/** The sockets of your app, by their paths; filled like `Routes`. */
export interface Sockets {}

/** The types of one route's data. */
export interface RouteIO {
  /** The JSON that a caller sends. */
  input: unknown
  /** The JSON that it receives; that of one chunk if the route streams. */
  output: unknown
  /** Whether the route streams its response. */
  stream: boolean
  /** The query parameters that it accepts. */
  query: unknown
}

/** The types of one socket's messages. */
export interface SocketIO {
  /** The messages that a client sends. */
  send: unknown
  /** The messages that a client receives. */
  receive: unknown
}

/** A definition that carries its types: agents, routes, resources and sockets all do. */
export interface HasTypes<IO> {
  readonly '~io': IO
}

/** Every known route string; any string while no route is registered. */
export type RouteName = keyof Routes extends never ? string : keyof Routes & string

/** Every known socket path; any string while no socket is registered. */
export type SocketName = keyof Sockets extends never ? string : keyof Sockets & string

/** The types of a registered route; `unknown` everywhere while none is registered. */
export type RouteOf<R extends string> = [R] extends [keyof Routes]
  ? Registered<Routes, R, RouteIO>
  : { input: unknown; output: unknown; stream: boolean; query: Record<string, unknown> }

/** The types of a registered socket; `unknown` while none is registered. */
export type SocketOf<S extends string> = [S] extends [keyof Sockets] ? Registered<Sockets, S, SocketIO> : SocketIO

/**
 * The types of a registered name. Written with brackets and `infer` for two reasons. While the name is still generic, a
 * compiler needs the widest result, and would read the types of every route to find it. And a definition whose
 * module is not found is `any` to a compiler: in brackets it gives the fallback, and not `any` everywhere.
 */
type Registered<All, Name extends keyof All, Fallback> = [All[Name]] extends [
  { readonly '~io': infer IO extends Fallback },
]
  ? IO
  : Fallback
