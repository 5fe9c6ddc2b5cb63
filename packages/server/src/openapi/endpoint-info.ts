import type { ResourceFacet } from '../define/resource-facet.ts'
import type { AnyRouteDefinition } from '../define/router.ts'

/** What the document must know of an endpoint; every `Endpoint` is one. */
export interface EndpointInfo {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly kind: 'agent' | 'route' | 'resource'
  readonly definition: Omit<AnyRouteDefinition, 'rateLimit' | 'handler'> & { readonly handler: unknown }
  /** What it does to which resource; only where its kind is `resource`. */
  readonly resource?: ResourceFacet
}
