import {
  fillPath,
  parseRoute,
  toQueryText,
  type Bodiless,
  type ExpandName,
  type InputArguments,
  type OptionsArgument,
  type ParamsOption,
  type QueryOption,
  type RouteName,
  type RouteOf,
} from '@sdk/protocol'

/** A route of the app, or any other string, so that tests can call unknown routes. */
export type AnyRoute = RouteName | (string & {})

/** The name of one of the app's agents, or any other string. */
export type AnyAgent = AgentIn<RouteName> | (string & {})

type AgentIn<R> = R extends `POST /agent/${infer Name}` ? Name : never

/** Options for a test call. */
export type TestCallOptions<R extends string = string, I = ExpandName<R>> = {
  /** Additional request headers. @default {} */
  headers?: Readonly<Record<string, string>> | undefined
} & ParamsOption<R> &
  QueryOption<R, I>

/** The arguments that follow the route in a test call. Routes without a payload also accept `undefined` as input. */
export type TestArguments<R extends string> = [R] extends [Bodiless]
  ? OptionsArgument<TestCallOptions<R>> | [input: undefined, ...OptionsArgument<TestCallOptions<R>>]
  : [...InputArguments<RouteOf<R>['input'], TestCallOptions<R>>]

/** The same as `TestArguments` but without type checks, so that tests can send invalid input. */
export type TestSendArguments<R extends string> = [R] extends [Bodiless]
  ? [options?: TestCallOptions] | [input: undefined, options?: TestCallOptions]
  : [input?: unknown, options?: TestCallOptions]

/** Creates the request for a test call from its arguments. */
export function toTestRequest(route: string, rest: readonly unknown[]): Request {
  if (route.includes('?')) {
    const name = route.slice(0, route.indexOf('?'))
    const fix = `pass the query as an option, as in call('${name}', { query: { … } })`
    throw new TypeError(`a route cannot contain a query, got ${JSON.stringify(route)}: ${fix}`)
  }
  const { methods, path } = parseRoute(route)
  const [method = 'GET'] = methods
  const isBodiless = /^(?:GET|HEAD|DELETE|OPTIONS)$/.test(method)
  const [input, options] = isBodiless && rest.length < 2 ? [undefined, rest[0]] : rest
  const { params, query = {}, headers } = (options ?? {}) as TestCallOptions
  const url = new URL(fillPath(path, params), 'http://localhost')
  for (const [name, value] of Object.entries(query)) {
    const text = toQueryText(value, name)
    if (text !== undefined) url.searchParams.set(name, text)
  }
  const [body, type] = serializeTestBody(input)
  const sent = new Headers(headers)
  if (type !== undefined && !sent.has('content-type')) sent.set('content-type', type)
  return new Request(url, { method, headers: sent, body })
}

type TestBody = NonNullable<RequestInit['body']>

/** Serializes a payload as the client does: forms, blobs and bytes unchanged, other values as JSON. */
function serializeTestBody(input: unknown): [body: TestBody | null, type?: string] {
  if (input === undefined) return [null]
  if (input instanceof FormData || input instanceof Blob || input instanceof URLSearchParams) return [input]
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) return [input as TestBody, 'application/octet-stream']
  return [JSON.stringify(input), 'application/json']
}
