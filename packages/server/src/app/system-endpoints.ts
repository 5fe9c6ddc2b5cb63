import type { Agent } from '../define/agent.ts'
import type { CallContext } from '../context/context.ts'
import { ownEndpoint, routeEndpoint, type Endpoint } from '../endpoint/endpoint.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { isFresh, parsePreconditions } from '../resource/etag.ts'
import { toHash } from '../resource/hash.ts'
import type { Health } from './health.ts'
import { METRICS_TYPE, type Metrics } from '../observe/metrics.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { openapi, type OpenApiFacts } from '../openapi/openapi.ts'

/** What an app tells of itself. */
export interface OwnFacts {
  /** The agents to describe at `GET /agent/{name}`; none outside of development. */
  readonly described: readonly Agent[]
  readonly document: OpenApiFacts
  readonly health: Health
  readonly metrics: Metrics | null
}

/** Where an app tells of itself: to developers, to tools, and to whoever watches over it. */
export function ownEndpoints({ described, document, health, metrics }: OwnFacts): Endpoint[] {
  return [
    ...described.flatMap((agent) => readEndpoint(`/agent/${agent.name}`, () => describe(agent))),
    ...majorsOf(document).flatMap((major) => documentEndpoint(document, major)),
    ownEndpoint('/healthz', () => health.live()),
    ownEndpoint('/readyz', () => health.ready()),
    ...(metrics === null ? [] : [ownEndpoint('/metrics', () => textReply(metrics.text()))]),
  ]
}

/**
 * One document for each version of the API. It is a route as all others, so that middleware can guard it, and counts as
 * one: who shows something is looked up. Tools that have it already ask for free.
 */
function documentEndpoint(document: OpenApiFacts, major: number): Endpoint[] {
  let made: Promise<Printed> | undefined
  return readEndpoint(`/api/v${major}/openapi.json`, async ({ source }) => {
    const { text, etag } = await (made ??= openapi({ '~openapi': document }, { major }).then(print))
    if (isFresh(etag, parsePreconditions(source))) return new Response(null, { status: 304, headers: { etag } })
    return new Response(text, { headers: { 'content-type': MEDIA_TYPE.json, etag } })
  })
}

/** A document as it is sent. */
interface Printed {
  readonly text: string
  readonly etag: string
}

function print(document: OpenApiDocument): Printed {
  const text = JSON.stringify(document)
  return { text, etag: `"${toHash(text)}"` }
}

function majorsOf({ endpoints }: OpenApiFacts): number[] {
  const majors = endpoints.flatMap(({ path }) => /^\/api\/v(\d+)\//.exec(path)?.[1] ?? [])
  return Array.from(new Set([1, ...majors.map(Number)]))
}

async function describe(agent: Agent): Promise<unknown> {
  const { describeAgent } = await import('../openapi/describe-agent.ts')
  return describeAgent(agent)
}

function readEndpoint(path: string, handler: (ctx: CallContext) => unknown): Endpoint[] {
  return routeEndpoint({ kind: 'route', methods: ['GET'], path, definition: { handler } })
}

function textReply(body: string): ReturnType<Health['live']> {
  return { status: 200, headers: { 'content-type': METRICS_TYPE }, body }
}
