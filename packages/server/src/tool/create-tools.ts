import { ApiError, toEnvelope, toPointer, type ErrorDetail } from '@sdk/protocol'
import type { ContextServices, RequestContext } from '../context/context.ts'
import type { RouteCall } from '../context/route-call.ts'
import type { RouteTool, ToolOutcome, ToolRoutes, ToolRunOptions } from '../context/tool.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import { toApiError } from '../http/error-response.ts'
import { httpError, validationError } from '../http/http-error.ts'
import { isChunks } from '../platform/is-chunks.ts'
import { isRecord } from '../schema/json-schema.ts'
import type { ToolDescription } from './describe-tool.ts'
import type { RouteCalls } from './route-calls.ts'

/** A route that is known as a tool, for any caller. */
interface KnownTool {
  readonly tool: Omit<RouteTool, 'run'>
  readonly description: ToolDescription
}

/** Creates `ctx.tools` for the routes of these endpoints. */
export function createTools(endpoints: readonly PublicEndpoint[], calls: RouteCalls): ContextServices['tools'] {
  const described = new Map<PublicEndpoint, ToolDescription>()
  // Lists that are used again, as by an MCP route, are described only once.
  const known = new WeakMap<ToolRoutes, readonly KnownTool[]>()

  async function describeAll(routes: ToolRoutes): Promise<readonly KnownTool[]> {
    // Loaded lazily, because most processes never need it.
    const { describeTool } = await import('./describe-tool.ts')
    const tools = await Promise.all(
      toNamedRoutes(routes).map(async ([given, route]): Promise<KnownTool> => {
        const endpoint = await calls.resolve(route)
        const parts = described.get(endpoint) ?? describeTool(endpoint, endpoints)
        described.set(endpoint, parts)
        const { description, inputSchema, outputSchema, isStream } = parts
        const name = assertToolName(given ?? parts.name, route)
        const tool = { name, route, method: endpoint.method, description, inputSchema, outputSchema, isStream }
        return { tool, description: parts }
      }),
    )
    for (const { name, route } of tools.map(({ tool }) => tool)) {
      const other = tools.find(({ tool }) => tool.name === name && tool.route !== route)
      if (other === undefined) continue
      throw new TypeError(
        `${route} and ${other.tool.route} are both the tool ${name}: name them, as in { ${name}: '…' }`,
      )
    }
    known.set(routes, tools)
    return tools
  }

  return async (routes, caller) => {
    const tools = known.get(routes) ?? (await describeAll(routes))
    return tools.map(({ tool, description }) => ({
      ...tool,
      run: createToolRun({ route: tool.route, description, calls, caller }),
    }))
  }
}

function toNamedRoutes(routes: ToolRoutes): readonly (readonly [name: string | null, route: string])[] {
  return Array.isArray(routes)
    ? (routes as readonly string[]).map((route) => [null, route] as const)
    : Object.entries(routes as Readonly<Record<string, string>>)
}

function assertToolName(name: string, route: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name
  throw new TypeError(
    `the name of a tool must have 1 to 64 letters, digits, "_" and "-", got ${JSON.stringify(name)} for ${route}: ` +
      `name it, as in { shortName: '${route}' }`,
  )
}

interface ToolRunDependencies {
  readonly route: string
  readonly description: ToolDescription
  readonly calls: RouteCalls
  readonly caller: RequestContext
}

function createToolRun({ route, description, calls, caller }: ToolRunDependencies): RouteTool['run'] {
  return async (input, { signal, headers, onChunk, isCounted, client, toolCallId } = {}) => {
    const observer = client === undefined ? undefined : caller.incoming.observer
    observer?.onToolCall(route, client ?? null)
    const signals = (): AbortSignal => (signal === undefined ? caller.signal : AbortSignal.any([caller.signal, signal]))
    try {
      const call = { ...toCall(route, input, description), signal, headers }
      const { value, json } = await calls.call(call, caller, { isTrusted: false, isCounted, toolCallId })
      const isStream = typeof value === 'object' && value !== null && isChunks(value)
      return { isStream, json, value: isStream ? await collect(value, { onChunk, signal: signals() }) : value }
    } catch (thrown) {
      const error = toApiError(thrown, () => caller.log, signals)
      observer?.onError(error.status === 500 ? (error.cause ?? error) : error)
      return toOutcome(error)
    }
  }
}

/** The number of chunks after which other work of the process can run. */
const CHUNKS_PER_TURN = 256

/** The maximum size of all chunks, in characters of JSON. Small chunks also take memory. */
const MAX_CHUNKS_SIZE = 4_194_304
const CHUNK_OVERHEAD = 32

async function collect(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
  { onChunk, signal }: { onChunk: ToolRunOptions['onChunk']; signal: AbortSignal },
): Promise<unknown[]> {
  const all: unknown[] = []
  let size = 0
  for await (const chunk of chunks) {
    // A client of the route reads its chunks one by one, but the result of a tool contains all of them.
    size += (JSON.stringify(chunk) ?? '').length + CHUNK_OVERHEAD
    if (size > MAX_CHUNKS_SIZE)
      throw httpError('CONTENT_TOO_LARGE', 'the chunks have more than 4 MiB of JSON, which is too large for a tool')
    all.push(chunk)
    // The client no longer accepts chunks after it has cancelled the call.
    signal.throwIfAborted()
    await onChunk?.(chunk)
    // A handler that yields without waiting would block the process, which could not notice that the client is gone.
    if (all.length % CHUNKS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  return all
}

/** Returns the outcome of an error. Models receive no details of server errors. */
function toOutcome(error: ApiError): ToolOutcome {
  if (error.status < 500) return { error: toEnvelope(error), status: error.status }
  return { error: toEnvelope(new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side')), status: 500 }
}

/** Splits the input of a tool into path parameters, query and body. */
function toCall(route: string, input: unknown, { params, query, body }: ToolDescription): RouteCall {
  if (!isRecord(input))
    throw validationError([{ code: 'INVALID_TYPE', message: 'must be an object', source: 'body', pointer: '' }])
  if (params.size === 0 && query.size === 0 && body === 'members') return { route, input }
  assertPathParams(input, params)
  const entries = Object.entries(input)
  const pick = (has: (name: string) => boolean): Record<string, unknown> =>
    Object.fromEntries(entries.filter(([name]) => has(name)))
  const rest = pick((name) => !params.has(name) && !query.has(name))
  const call = { route, params: pick((name) => params.has(name)) as Record<string, string> }
  const known = pick((name) => query.has(name))
  if (body === 'members') return { ...call, query: known, input: rest }
  if (body === 'none') return { ...call, query: { ...known, ...rest } }
  const { input: payload, ...unknown } = rest
  const details = Object.keys(unknown).map((name) => ({
    code: 'UNKNOWN_FIELD',
    message: 'is not a known field',
    source: 'body' as const,
    pointer: toPointer([name]),
  }))
  if (details.length > 0) throw validationError(details)
  return { ...call, query: known, input: payload }
}

/** Throws if a path parameter is missing. The error has its name in the input, which the model knows. */
function assertPathParams(input: Readonly<Record<string, unknown>>, params: ReadonlySet<string>): void {
  const details = [...params].flatMap((name): ErrorDetail[] => {
    const value = input[name]
    if (typeof value === 'string' || typeof value === 'number') return []
    const issue =
      value === undefined
        ? { code: 'REQUIRED', message: 'is required' }
        : { code: 'INVALID_TYPE', message: 'must be a string or a number' }
    return [{ ...issue, source: 'path', pointer: toPointer([name]) }]
  })
  if (details.length > 0) throw validationError(details)
}
