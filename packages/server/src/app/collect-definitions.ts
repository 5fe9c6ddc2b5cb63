import { agentEndpoint, routeEndpoint, type PublicEndpoint } from '../endpoint/endpoint.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import type { Agent } from '../define/agent.ts'
import type { Middleware } from '../define/middleware.ts'
import type { StartHook } from '../define/on-start.ts'
import type { Router } from '../define/router.ts'
import { findSessionProvider } from '../define/session-middleware.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import type { Log } from '../log/log.ts'
import { createStores, type Stores } from '../resource/open-stores.ts'
import { connectReferences } from '../resource/references.ts'
import { resourceEndpoints } from '../resource/resource-endpoints.ts'
import type { Runs } from '../run/runs.ts'
import { assertAgents, assertDefinitions } from './assert-definitions.ts'
import { listTextParameters } from './text-parameters.ts'
import { listUnboundedInput } from './unbounded-input.ts'
import { warnOfPlaces } from './warn-of-places.ts'

/** The definitions of an app, collected from its agents and its router. */
export interface Definitions {
  readonly endpoints: readonly PublicEndpoint[]
  readonly middleware: readonly { path: string; middleware: Middleware }[]
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  readonly stores: Stores
  readonly session: SessionProvider | null
  readonly starts: readonly StartHook[]
  /** Lists the inputs that have no maximum size. */
  unbounded(): string[]
  /** Begins opening the stores, and logs inputs that are unbounded or that reject every request. */
  open(log: Log): void
}

const UNBOUNDED = 'some inputs have no maximum size: add .max(…) to their schemas, or set limits'
const NOT_FOR_TEXT =
  'some parameters reject every request, since they are texts: convert them, for example with z.coerce.number()'

/** Collects and validates the definitions of an app. */
export function collectDefinitions(
  agents: readonly Agent[],
  { entries }: Pick<Router, 'entries'>,
  { limits, runs }: { limits: RequestLimits | undefined; runs: Runs },
): Definitions {
  const own = agents.flatMap((agent) => (agent?.durable ? runs.endpointsOf(agent) : agentEndpoint(agent)))
  assertAgents(agents)
  const resources = entries.filter((entry) => entry.kind === 'resource')
  const references = connectReferences(resources)
  const endpoints = [
    ...own,
    ...entries.filter((entry) => entry.kind === 'route').flatMap(routeEndpoint),
    ...resources.flatMap((entry) => resourceEndpoints(entry, references.get(entry))),
  ]
  assertDefinitions(endpoints, entries)
  const middleware = entries.filter((entry) => entry.kind === 'middleware')
  const socketEntries = entries.filter((entry) => entry.kind === 'socket')
  const sockets = new Map(socketEntries.map(({ path, socket }) => [path, socket.definition]))
  // Relations may refer to resources that are not mounted.
  const targets = resources.flatMap(({ resource }) => Object.values(resource.relations).map(({ target }) => target))
  const stores = createStores([...targets, ...resources.map(({ resource }) => resource)])
  const unbounded = (): string[] => listUnboundedInput({ endpoints, sockets, limits })
  return {
    endpoints,
    middleware,
    sockets,
    stores,
    unbounded,
    open(log) {
      stores.open(log)
      warnOfPlaces(log, UNBOUNDED, unbounded())
      warnOfPlaces(log, NOT_FOR_TEXT, listTextParameters(endpoints))
    },
    session: findSessionProvider(middleware.map((entry) => entry.middleware)),
    starts: [...entries.filter((entry) => entry.kind === 'start'), ...runs.starts],
  }
}
