/**
 * The routes of your app, by route string. This interface is empty; declaration merging fills it, either from the
 * generated `sdk-routes.d.ts` or by hand:
 * @example
 * declare module '@sdk/protocol' {
 *   interface Routes { 'POST /agent/echo': typeof import('./agent/echo/index.ts').default }
 * }
 */
export interface Routes {}

/** The sockets of your app, by path. This interface is filled in the same way as `Routes`. */
export interface Sockets {}

/** The types of one route's data. */
export interface RouteIO {
  /** The JSON that a caller sends. */
  input: unknown
  /** The JSON that a caller receives; if the route streams, the JSON of one chunk. */
  output: unknown
  /** Whether the route streams its response. */
  stream: boolean
  /** The query parameters that the route accepts. */
  query: unknown
  /** Whether the route belongs to a durable agent, whose calls start runs. @default false */
  durable?: boolean
  /** The values of a durable agent's events, by name. */
  events?: object
}

/** The types of one socket's messages. */
export interface SocketIO {
  /** The messages that a client sends. */
  send: unknown
  /** The messages that a client receives. */
  receive: unknown
}

/** A definition that carries its types, such as an agent, a route, a resource or a socket. */
export interface HasTypes<IO> {
  readonly '~io': IO
}

/** The registered route strings, or any string if no route is registered. */
export type RouteName = keyof Routes extends never ? string : keyof Routes & string

/** The registered socket paths, or any string if no socket is registered. */
export type SocketName = keyof Sockets extends never ? string : keyof Sockets & string

/** The types of a registered route. For any other route, input and output are `unknown`. */
export type RouteOf<R extends string> = [R] extends [keyof Routes]
  ? Registered<Routes, R, RouteIO>
  : { input: unknown; output: unknown; stream: boolean; query: Record<string, unknown>; durable: boolean }

/** The types of a registered socket. For any other socket, messages are `unknown`. */
export type SocketOf<S extends string> = [S] extends [keyof Sockets] ? Registered<Sockets, S, SocketIO> : SocketIO

/**
 * The types of a registered name. The brackets and `infer` have two purposes. While the name is still generic, they
 * keep the compiler from reading the types of every route to find the widest result. If a definition's module is not
 * found, the definition is `any`, and the brackets make the result the fallback instead of `any`.
 */
type Registered<All, Name extends keyof All, Fallback> = [All[Name]] extends [
  { readonly '~io': infer IO extends Fallback },
]
  ? IO
  : Fallback
