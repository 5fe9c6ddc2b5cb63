import type { ResourceFacet } from '../define/resource-facet.ts'
import type { AnyRouteDefinition } from '../define/router.ts'

/** The description of an endpoint for the document. Every `Endpoint` satisfies this interface. */
export interface EndpointInfo {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly kind: 'agent' | 'route' | 'resource'
  readonly definition: Omit<AnyRouteDefinition, 'rateLimit' | 'handler'> & {
    readonly handler: unknown
    /** The options of a durable agent. */
    readonly durable?: object | undefined
  }
  /** The resource and the action. Present only if the kind is `resource`. */
  readonly resource?: ResourceFacet
}
