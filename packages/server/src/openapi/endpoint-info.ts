import type { Resource, ResourceAction } from '../resource.ts'
import type { Lifetime } from '../resource/lifetime.ts'
import type { AnyRoute } from '../router.ts'

/** What the document must know of an endpoint; every `Endpoint` is one. */
export interface EndpointInfo {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly kind: 'agent' | 'route' | 'resource'
  readonly definition: EndpointDefinition
  /** What it does to which resource; only where its kind is `resource`. */
  readonly resource?: ResourceFacet
}

/** One of the six routes of a resource. */
export interface ResourceFacet {
  readonly resource: Resource
  readonly action: ResourceAction
  /** How long it is offered; null: with no end in sight. */
  readonly lifetime: Lifetime | null
}

/** The part of a definition that speaks of the wire. */
export interface EndpointDefinition extends Omit<AnyRoute, 'rateLimit' | 'handler'> {
  readonly handler: unknown
}
