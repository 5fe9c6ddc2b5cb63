import type { ResourceAction } from './resource-definition.ts'
import type { Lifetime } from './lifetime.ts'
import type { Resource } from './resource.ts'

/** One of the six routes of a resource. */
export interface ResourceFacet {
  readonly resource: Resource
  readonly action: ResourceAction
  /** Its deprecation and sunset; null if it is not deprecated. */
  readonly lifetime: Lifetime | null
}
