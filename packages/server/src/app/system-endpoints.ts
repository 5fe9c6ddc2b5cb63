import type { SessionProvider, WellKnownDocument } from '../auth/session-provider.ts'
import type { Agent } from '../define/agent.ts'
import type { RequestContext } from '../context/context.ts'
import { systemEndpoint, routeEndpoint, type Endpoint } from '../endpoint/endpoint.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { isFresh, parsePreconditions } from '../resource/etag.ts'
import { toHash } from '../resource/hash.ts'
import type { Health } from './health.ts'
import { METRICS_TYPE, type Metrics } from '../observe/metrics.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { openapi, type OpenApiInfo } from '../openapi/openapi.ts'

/** The information that the system endpoints serve. */
export interface SystemInfo {
  /** The agents to describe at `GET /agent/{name}`. Empty outside development. */
  readonly described: readonly Agent[]
  readonly document: OpenApiInfo
  readonly health: Health
  readonly metrics: Metrics | null
  /** The session provider, whose documents are served under `/.well-known/`. */
  readonly session: SessionProvider | null
}

/** Creates the endpoints for developers, tools and monitoring. */
export function systemEndpoints({ described, document, health, metrics, session }: SystemInfo): Endpoint[] {
  const describe = async (agent: Agent): Promise<unknown> =>
    (await import('../openapi/describe-agent.ts')).describeAgent(agent)
  return [
    ...described.flatMap((agent) => readEndpoint(`/agent/${agent.name}`, () => describe(agent))),
    ...majorsOf(document).flatMap((major) => documentEndpoint(document, major)),
    ...(session?.wellKnown ?? []).flatMap(wellKnownEndpoint),
    systemEndpoint('/healthz', () => health.live()),
    systemEndpoint('/readyz', () => health.ready()),
    ...(metrics === null ? [] : [systemEndpoint('/metrics', async () => textReply(await metrics.collect()))]),
  ]
}

/**
 * Creates the endpoint for an API version's OpenAPI document. It is a normal route, so that middleware and rate limits
 * apply. A 304, sent to tools that already have the document, does not count toward the rate limit.
 */
function documentEndpoint(document: OpenApiInfo, major: number): Endpoint[] {
  let made: Promise<[text: string, etag: string]> | undefined
  return readEndpoint(`/api/v${major}/openapi.json`, async ({ incoming }) => {
    const [text, etag] = await (made ??= openapi({ '~openapi': document }, { major }).then(serializeDocument))
    if (isFresh({ etag }, parsePreconditions(incoming))) return new Response(null, { status: 304, headers: { etag } })
    return new Response(text, { headers: { 'content-type': MEDIA_TYPE.json, etag } })
  })
}

/** Creates the endpoint for a document that pages of every origin may read. */
function wellKnownEndpoint({ path, read }: WellKnownDocument): Endpoint[] {
  const open = { 'access-control-allow-origin': '*' }
  const preflight = { ...open, 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }
  const handler = async ({ request }: RequestContext): Promise<Response> =>
    request.method === 'OPTIONS'
      ? new Response(null, { status: 204, headers: preflight })
      : Response.json(await read(request), { headers: open })
  return routeEndpoint({ kind: 'route', methods: ['GET', 'OPTIONS'], path, definition: { handler } })
}

function serializeDocument(document: OpenApiDocument): [text: string, etag: string] {
  const text = JSON.stringify(document)
  return [text, `"${toHash(text)}"`]
}

function majorsOf({ endpoints }: OpenApiInfo): number[] {
  const majors = endpoints.flatMap(({ path }) => /^\/api\/v(\d+)\//.exec(path)?.[1] ?? [])
  return Array.from(new Set([1, ...majors.map(Number)]))
}

function readEndpoint(path: string, handler: (ctx: RequestContext) => unknown): Endpoint[] {
  return routeEndpoint({ kind: 'route', methods: ['GET'], path, definition: { handler } })
}

function textReply(body: string): ReturnType<Health['live']> {
  return { status: 200, headers: { 'content-type': METRICS_TYPE }, body }
}

/**
 * Returns whether a path is handled by every app, regardless of its options. All other paths may belong to the web app.
 */
export function isSystemPath(target: string): boolean {
  return /^\/(?:(?:agent|api|ws)(?:\/|\?|$)|(?:healthz|readyz)(?:\?|$))/.test(target)
}

/** Returns whether an app handles this path. All other paths may belong to the web app. */
export function ownsTarget(target: string, { metrics, session }: Pick<SystemInfo, 'metrics' | 'session'>): boolean {
  const [path] = target.split('?', 1)
  if (isSystemPath(target) || (metrics !== null && path === '/metrics')) return true
  return session?.wellKnown?.some((document) => document.path === path) ?? false
}
