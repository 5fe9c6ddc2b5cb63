import type { Agent } from '../agent.ts'
import { ownEndpoint, routeEndpoint, type Endpoint } from './endpoint.ts'
import type { Health } from '../watch/health.ts'
import { METRICS_TYPE, type Metrics } from '../watch/metrics.ts'
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

/** One document for each version of the API. */
function documentEndpoint(document: OpenApiFacts, major: number): Endpoint[] {
  let made: Promise<OpenApiDocument> | undefined
  return readEndpoint(`/api/v${major}/openapi.json`, () => (made ??= openapi({ '~openapi': document }, { major })))
}

function majorsOf({ endpoints }: OpenApiFacts): number[] {
  const majors = endpoints.flatMap(({ path }) => /^\/api\/v(\d+)\//.exec(path)?.[1] ?? [])
  return Array.from(new Set([1, ...majors.map(Number)]))
}

async function describe(agent: Agent): Promise<unknown> {
  const { describeAgent } = await import('../openapi/describe-agent.ts')
  return describeAgent(agent)
}

function readEndpoint(path: string, handler: () => unknown): Endpoint[] {
  return routeEndpoint({ kind: 'route', methods: ['GET'], path, definition: { handler } })
}

function textReply(body: string): ReturnType<Health['live']> {
  return { status: 200, headers: { 'content-type': METRICS_TYPE }, body }
}
