/** The HTTP methods that a route can have. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** One of the HTTP methods. */
export type Method = (typeof METHODS)[number]

/** A parsed route string: its methods and its path pattern. */
export interface Route {
  readonly methods: readonly Method[]
  /** The path pattern. It starts with `/`; `:name` is a parameter, and a final `*` matches the rest of a path. */
  readonly path: string
  /** The names of the path's parameters, in order. */
  readonly params: readonly string[]
}

/** The path of a route string: `PathOf<'GET /api/x'>` is `'/api/x'`. */
export type PathOf<R extends string> = R extends `${string} ${infer Path}` ? Path : R

/** The names of the parameters in a route string or path. */
export type ParamName<R extends string> = NamesIn<PathOf<R>>

/** The values of a route's path parameters: `{ id: string | number }` for `'GET /api/v1/tasks/:id'`. */
export type PathParams<R extends string> = string extends R
  ? Record<string, string | number>
  : { [Name in ParamName<R>]: string | number }

type NamesIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? NameOf<Segment> | NamesIn<Rest>
  : NameOf<Path>

type NameOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : Segment extends '*' ? '*' : never

type ParamValues = Readonly<Record<string, string | number>>

/**
 * Parses a route string. Throws a `TypeError` if it is malformed.
 * @example parseRoute('GET|POST /api/auth/*')
 */
export function parseRoute(route: string): Route {
  const [, verbs = '', path = ''] = /^(\S+) (.*)$/.exec(route) ?? []
  const methods = verbs.split('|')
  if (!methods.every(isMethod))
    throw new TypeError(`a route must be "METHOD /path" (${METHODS.join(', ')}), got ${JSON.stringify(route)}`)
  return { methods, path, params: paramNames(path) }
}

/** Returns the names of a path's parameters, in order. Throws a `TypeError` if the path is malformed. */
export function paramNames(path: string): string[] {
  const names = segmentsOf(path).flatMap((segment) => nameIn(segment) ?? [])
  if (new Set(names).size < names.length) throw new TypeError(`duplicate parameter in ${JSON.stringify(path)}`)
  return names
}

/**
 * Fills in the parameters of a path and percent-encodes their values. Only the values are checked, since the server
 * checks the path when the route is defined.
 * @example fillPath('/api/v1/tasks/:id', { id: 7 }) // '/api/v1/tasks/7'
 */
export function fillPath(path: string, params: ParamValues = {}): string {
  return path.replaceAll(/\/(?::(\w+)|\*$)/g, (_part, name: string = '*') => {
    const value: unknown = params[name]
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new TypeError(`"${path}" needs params.${name}, got ${String(value)}`)
    const segments = name === '*' ? `${value}`.split('/') : [`${value}`]
    // URL parsers resolve "." and "..", even if they are percent-encoded. Servers reject empty segments, NUL and lone
    // surrogates.
    if (segments.some((segment) => /^\.{0,2}$|[\0\p{Surrogate}]/u.test(segment)))
      throw new TypeError(`params.${name} of "${path}" cannot be ${JSON.stringify(value)}`)
    return `/${segments.map(encodeURIComponent).join('/')}`
  })
}

function isMethod(value: string): value is Method {
  return (METHODS as readonly string[]).includes(value)
}

function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/')
  const isSegment = (segment: string, index: number): boolean =>
    /^:[A-Za-z_]\w*$|^(?!\.\.?$)[^:*?#%\\\s/]+$/.test(segment) || (segment === '*' && index === segments.length - 1)
  if (path === '/') return []
  if (path.startsWith('/') && segments.every(isSegment)) return segments
  throw new TypeError(
    `a path must start with "/" and contain "name", ":name" or a final "*", got ${JSON.stringify(path)}`,
  )
}

function nameIn(segment: string): string | null {
  return segment === '*' ? segment : segment.startsWith(':') ? segment.slice(1) : null
}
