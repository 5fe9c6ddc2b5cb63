/** The HTTP methods a route can have. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** One of the HTTP methods. */
export type Method = (typeof METHODS)[number]

/** A route string taken apart: its methods and its path pattern. */
export interface Route {
  readonly methods: readonly Method[]
  /** Starts with `/`; `:name` is a parameter, a last `*` matches the rest. */
  readonly path: string
  /** The names of the path's parameters, in order. */
  readonly params: readonly string[]
}

/** The path of a route string: `PathOf<'GET /api/x'>` is `'/api/x'`. */
export type PathOf<R extends string> = R extends `${string} ${infer Path}` ? Path : R

/** The names of the parameters in a route string or path. */
export type ParamName<R extends string> = NamesIn<PathOf<R>>

/** What fills the path of a route: `{ id: string | number }` for `'GET /api/v1/tasks/:id'`. */
export type PathParams<R extends string> = string extends R
  ? Record<string, string | number>
  : { [Name in ParamName<R>]: string | number }

type NamesIn<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? NameOf<Segment> | NamesIn<Rest>
  : NameOf<Path>

type NameOf<Segment extends string> = Segment extends `:${infer Name}` ? Name : Segment extends '*' ? '*' : never

/**
 * Takes a route string apart.
 * @example parseRoute('GET|POST /api/auth/*')
 */
export function parseRoute(route: string): Route {
  const space = route.indexOf(' ')
  if (space === -1) throw new TypeError(`a route is "METHOD /path", got ${JSON.stringify(route)}`)
  const methods = route.slice(0, space).split('|')
  const unknown = methods.find((method) => !isMethod(method))
  if (unknown !== undefined)
    throw new TypeError(
      `${JSON.stringify(unknown)} in ${JSON.stringify(route)} is no method: use ${METHODS.join(', ')}`,
    )
  const path = route.slice(space + 1)
  return { methods: methods.filter(isMethod), path, params: paramNames(path) }
}

/** The names of a path's parameters, in order; a faulty path is a `TypeError`. */
export function paramNames(path: string): string[] {
  if (!path.startsWith('/')) throw new TypeError(`a path starts with "/", got ${JSON.stringify(path)}`)
  if (path === '/') return []
  const segments = path.slice(1).split('/')
  const names = segments.flatMap((segment, index) => nameIn(segment, index === segments.length - 1, path))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new TypeError(`the parameter ${JSON.stringify(twice)} stands twice in ${JSON.stringify(path)}`)
  return names
}

/**
 * Puts values into a path, each percent-encoded once.
 * @example fillPath('/api/v1/tasks/:id', { id: 7 }) // '/api/v1/tasks/7'
 */
export function fillPath(path: string, params: Readonly<Record<string, string | number>> = {}): string {
  const names = paramNames(path)
  if (names.length === 0) return path
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? encodeSegment(segment.slice(1), params, path) : segment))
    .join('/')
    .replace(/\*$/, () => wildcard(params, path))
}

function isMethod(value: string): value is Method {
  return (METHODS as readonly string[]).includes(value)
}

function nameIn(segment: string, isLast: boolean, path: string): string[] {
  if (segment === '*' && isLast) return ['*']
  if (segment.startsWith(':') && /^:[A-Za-z_]\w*$/.test(segment)) return [segment.slice(1)]
  if (/^[^:*?#\s/]+$/.test(segment) && segment !== '.' && segment !== '..') return []
  throw new TypeError(
    `${JSON.stringify(segment)} in ${JSON.stringify(path)} is no path segment: use plain text, ":name", or "*" at the end`,
  )
}

function encodeSegment(name: string, params: Readonly<Record<string, string | number>>, path: string): string {
  const text = String(params[name] ?? '')
  // "." and ".." would be eaten by every URL parser on the way, even percent-encoded.
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`${JSON.stringify(path)} needs params.${name}, got ${JSON.stringify(params[name])}`)
  return encodeURIComponent(text)
}

function wildcard(params: Readonly<Record<string, string | number>>, path: string): string {
  const rest = String(params['*'] ?? '')
  return rest
    .split('/')
    .map((segment) => encodeSegment('*', { '*': segment }, path))
    .join('/')
}
