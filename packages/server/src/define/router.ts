import type { Middleware } from './middleware.ts'
import {
  parseRoute,
  type Method,
  type ParamName,
  type PathOf,
  type Schema,
  type SerializedResult,
  type HasTypes,
} from '@sdk/protocol'
import type { HandlerOutput, HandlerResult, AfterInference, IsStream } from './agent.ts'
import type { Context } from '../context/context.ts'
import type { JsonLimits } from '../schema/json-bounds.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'
import { captureLocation, type SourceLocation } from '../platform/source-location.ts'
import type { Resource } from './resource.ts'
import type { ResourceRoutes } from './resource-routes.ts'
import { toLifetime, type Lifetime, type ResourceOptions } from './lifetime.ts'
import type { MessageOf, Start } from './on-start.ts'
import type { AnySocket } from './socket.ts'

/** A function that handles a route's requests. */
export type Handler<In = unknown, R = unknown, Params = Record<string, string>, Query = Record<string, string>> = (
  ctx: Context<Params, Query>,
  input: In,
) => R

/** A route definition, for routes that need options in addition to a handler. */
export interface RouteDefinition<In, CallerIn, OutIn, Out, R, Params, Query, CallerQuery, Content = string> {
  /** A one-sentence description of the route. */
  description?: string
  /** The schema that validates the path parameters. @default unvalidated strings */
  params?: Schema<unknown, Params>
  /** The schema that validates the query parameters. @default unvalidated strings */
  query?: Schema<CallerQuery, Query>
  /** The schema of the JSON body. Without a schema, JSON is not validated. Read other bodies from `ctx.request`. */
  input?: Schema<CallerIn, In>
  /**
   * Whether to leave the body unread, even if it is JSON. `readText(ctx.request, limit)` then returns the body
   * unchanged, so that you can verify its signature.
   * @default false
   */
  raw?: boolean
  /** The schema that validates the result, or each chunk if the handler streams. @default no validation */
  output?: Schema<OutIn, Out>
  /** Limits on the JSON values in the body. @default the app's limits, raised to the size that `input` declares */
  limits?: JsonLimits
  /** The media type of a text or binary result. For a `Response`, it only appears in OpenAPI. @default JSON */
  content?: Content
  /** The status of a successful response, unless the handler returns a `Response`. 204 sends no body. @default 200 */
  status?: number
  /** Whether the handler streams. Set it for OpenAPI if the handler is not a generator function. @default false */
  stream?: boolean
  /** The rate limit policy: `'auth'` counts sign-in attempts per IP address. @default counts requests per caller */
  rateLimit?: 'auth'
  /** Returns whether a request to this path counts as a sign-in attempt. @default every request counts */
  isAttempt?: (path: string) => boolean
  /** Handles a request: returns a value or a `Response`, or yields chunks. */
  handler: AfterInference<OutIn, Handler<In, R, Params, Query>>
}

/** A route definition without its type parameters, used internally. */
export interface AnyRouteDefinition {
  readonly description?: string | undefined
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  readonly input?: Schema | undefined
  readonly raw?: boolean | undefined
  readonly output?: Schema | undefined
  readonly limits?: JsonLimits | undefined
  readonly content?: string | undefined
  readonly status?: number | undefined
  readonly stream?: boolean | undefined
  readonly rateLimit?: 'auth' | undefined
  readonly isAttempt?: ((path: string) => boolean) | undefined
  readonly handler: (ctx: never, input: never) => unknown
}

/** A router entry. The router keeps its entries in declaration order. `at` is the entry's source location. */
export type RouterEntry =
  | { readonly kind: 'middleware'; readonly path: string; readonly middleware: Middleware }
  | {
      readonly kind: 'route'
      readonly methods: readonly Method[]
      readonly path: string
      readonly definition: AnyRouteDefinition
      readonly at?: SourceLocation
    }
  | {
      readonly kind: 'resource'
      readonly version: string
      readonly path: string
      readonly resource: Resource
      /** The deprecation and sunset, or null if the resource is not deprecated. */
      readonly lifetime: Lifetime | null
      readonly at?: SourceLocation
    }
  | { readonly kind: 'socket'; readonly path: string; readonly socket: AnySocket; readonly at?: SourceLocation }
  | { readonly kind: 'start'; readonly start: Start; readonly at?: SourceLocation }

/** The type of `ctx.params` for a route without a `params` schema. */
export type RawParams<Route extends string> = { [Name in ParamName<Route>]: string }

/** The individual routes in a route string with several methods: `'GET|POST /x'` contains two. */
export type EachRoute<Route extends string> = Route extends `${infer Methods} ${infer Path}`
  ? `${EachMethod<Methods>} ${Path}`
  : never

type EachMethod<Methods extends string> = Methods extends `${infer First}|${infer Rest}`
  ? First | EachMethod<Rest>
  : Methods

/** The value of a response with this media type, or of each chunk if clients receive it in chunks. */
type ContentOutput<Content extends string> = string extends Content
  ? unknown
  : Content extends `${string}json${string}` | `text/event-stream${string}`
    ? unknown
    : IsChunked<Content> extends true
      ? string
      : Blob

/** Whether clients receive a response with this media type in chunks, as `framingOf` determines. */
type IsChunked<Content extends string> = string extends Content
  ? boolean
  : Content extends `${'text/' | `application/${'octet-stream' | 'x-ndjson' | 'ndjson' | 'jsonl'}`}${string}`
    ? true
    : false

/** A chainable builder for routes, resources and sockets. `All` collects their types. */
export interface Router<All = {}> {
  readonly entries: readonly RouterEntry[]
  readonly '~routes': All
  // `Known` is inferred from `this`: with `All`, the compiler would process all routes again for every chained call.
  /** Adds a middleware that runs before every route whose path matches. */
  use<Known>(this: Router<Known>, path: string, middleware: Middleware): Router<Known>
  /** Adds a route: `.on('GET /api/status', () => ({ status: 'ok' }))`. */
  on<
    Known,
    const Route extends string,
    In = unknown,
    CallerIn = In,
    OutIn = unknown,
    R extends HandlerResult<OutIn> = HandlerResult<OutIn>,
    Out = HandlerOutput<R>,
    Params = RawParams<Route>,
    Query = Record<string, string>,
    CallerQuery = Query,
    const Content extends string = never,
  >(
    this: Router<Known>,
    route: Route,
    definition:
      | RouteDefinition<In, CallerIn, OutIn, Out, R, Params, Query, CallerQuery, Content>
      | Handler<In, R, Params, Query>,
  ): Router<
    // Inlined: a named type would nest each step in the next one, and the compiler stops at a depth of 100.
    Known & {
      readonly [Key in EachRoute<Route>]: HasTypes<{
        input: CallerIn
        output: [Content] extends [never] ? SerializedResult<Out> : ContentOutput<Content>
        stream: [Content] extends [never] ? IsStream<R> : IsChunked<Content>
        query: CallerQuery
      }>
    }
  >
  /** Adds a resource's routes at `/api/v1/{name}`: `.resource('v1', tasks)`. */
  resource<Known, const Version extends `v${number}`, R extends Resource>(
    this: Router<Known>,
    version: Version,
    resource: R,
    options?: ResourceOptions,
  ): Router<Known & ResourceRoutes<Version, R>>
  /** Adds a socket: `.socket('/ws/chat', chat)`. */
  socket<Known, const Path extends string, S extends AnySocket>(
    this: Router<Known>,
    path: Path,
    socket: S,
  ): Router<Known & { readonly [Key in PathOf<Path>]: S }>
  /**
   * Adds a hook that starts background work, such as a timer or a queue worker, before the first request. It may return
   * a function that stops the work, which is called after the last response.
   * @example .onStart((app) => { const timer = setInterval(() => app.publish('lobby', 'tick'), 1000); return () => clearInterval(timer) })
   */
  onStart<Known>(this: Router<Known>, start: Start<MessageOf<Known>>): Router<Known>
  /** Adds all entries of another router under a path prefix. */
  mount<Known, const Prefix extends string, Inner>(
    this: Router<Known>,
    prefix: Prefix,
    router: Router<Inner>,
  ): Router<Known & Prefixed<Inner, Prefix>>
}

type Prefixed<Inner, Prefix extends string> = {
  readonly [
    Key in keyof Inner & string as Key extends `${infer Methods} ${infer Path}`
      ? `${Methods} ${JoinedPath<Prefix, Path>}`
      : JoinedPath<Prefix, Key>
  ]: Inner[Key]
}

type JoinedPath<Prefix extends string, Path extends string> = Prefix extends '/'
  ? Path
  : `${Prefix}${Path extends '/' ? '' : Path}`

/** The routes and sockets of an app or router, for the registry: `interface Routes extends RoutesOf<typeof app> {}`. */
export type RoutesOf<T extends { readonly '~routes': unknown }> = T['~routes']

/**
 * Creates an empty router for routes, resources, sockets and middleware. Export it from `src/api/index.ts`, or pass it
 * to `createApp`.
 * @example createRouter().on('GET /api/status', () => ({ status: 'ok' })).resource('v1', tasks).socket('/ws/chat', chat)
 */
export function createRouter(): Router {
  const entries: RouterEntry[] = []
  const add = (entry: RouterEntry): Router => {
    entries.push(entry)
    return router
  }
  const router = {
    entries,
    '~routes': undefined as never,
    use: (path: string, middleware: Middleware) =>
      add({
        kind: 'middleware',
        path: assertPattern(path),
        middleware: assertFunction(middleware, `.use(${JSON.stringify(path)}, …)`),
      }),
    on(route: string, definition: AnyRouteDefinition | AnyRouteDefinition['handler']) {
      const whole: AnyRouteDefinition =
        typeof definition === 'function' ? Object.assign({ handler: definition }, definition) : definition
      assertFunction(whole?.handler, `.on(${JSON.stringify(route)}, …)`)
      const { params, query, input, output } = whole
      assertSchemas(route, { params, query, input, output })
      if (whole.raw === true && input !== undefined)
        throw new TypeError(`${route}: a raw body is not parsed, so input would have no effect: remove raw or input`)
      assertStatus(route, whole.status)
      return add({ kind: 'route', ...parseRoute(route), definition: whole, at: captureLocation() })
    },
    resource(version: string, resource: Resource, options?: ResourceOptions) {
      if (!/^v[1-9]\d{0,5}$/.test(version))
        throw new TypeError(`a resource's version must be "v1", "v2" and so on, got ${JSON.stringify(version)}`)
      if (resource?.kind !== 'resource')
        throw new TypeError(`.resource(${JSON.stringify(version)}, …) expects a resource created with createResource`)
      const lifetime = options === undefined ? null : toLifetime(options)
      const path = `/api/${version}/${resource.name}`
      return add({ kind: 'resource', version, path, resource, lifetime, at: captureLocation() })
    },
    socket(path: string, socket: AnySocket) {
      if (!/^\/ws\/[a-zA-Z][\w-]{0,63}$/.test(path))
        throw new TypeError(
          `a socket's path must be "/ws/<name>", such as "/ws/chat", got ${JSON.stringify(path)}: pass ids in the query, as in "/ws/chat?room=7"`,
        )
      return add({ kind: 'socket', path, socket, at: captureLocation() })
    },
    onStart: (start: Start) =>
      add({ kind: 'start', start: assertFunction(start, '.onStart(…)'), at: captureLocation() }),
    mount(prefix: string, inner: Router) {
      assertPattern(prefix)
      const fixed = inner.entries.find((entry) => entry.kind === 'resource')
      if (fixed !== undefined)
        throw new TypeError(`${fixed.path} cannot be mounted under a prefix: add the resource to the outer router`)
      for (const entry of inner.entries)
        add(entry.kind === 'start' ? entry : { ...entry, path: joinPath(prefix, entry.path) })
      return router
    },
  } as unknown as Router
  return router
}

/** Returns whether a value was created by `createRouter`. */
export function isRouter(value: unknown): value is Router {
  return typeof value === 'object' && value !== null && 'entries' in value && '~routes' in value
}

function assertPattern(path: string): string {
  parseRoute(`GET ${path}`)
  return path
}

function joinPath(prefix: string, path: string): string {
  return prefix === '/' ? path : prefix + (path === '/' ? '' : path)
}

function assertStatus(route: string, status = 200): void {
  if (!Number.isInteger(status) || status < 200 || status > 399)
    throw new TypeError(
      `${route}: status must be an integer from 200 to 399, got ${status}; throw an ApiError for other statuses`,
    )
}

function assertFunction<F>(value: F, where: string): F {
  if (typeof value !== 'function')
    throw new TypeError(`${where} needs a function, got ${value === null ? 'null' : typeof value}`)
  return value
}
