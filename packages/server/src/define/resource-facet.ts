import type { ResourceAction } from './resource-definition.ts'
import type { Lifetime } from './lifetime.ts'
import type { Resource } from './resource.ts'

/** One of a resource's six routes. */
export interface ResourceFacet {
  readonly resource: Resource
  readonly action: ResourceAction
  /** The deprecation and sunset, or null if the resource is not deprecated. */
  readonly lifetime: Lifetime | null
}
