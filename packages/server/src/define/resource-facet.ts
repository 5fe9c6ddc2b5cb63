import type { ResourceAction } from './resource-definition.ts'
import type { ResourceKey } from './resource-key.ts'
import type { Lifetime } from './lifetime.ts'
import type { Resource } from './resource.ts'

/** One of a resource's routes. */
export interface ResourceFacet {
  readonly resource: Resource
  readonly action: ResourceAction
  /** The key in the path, or null if the path does not contain a key. */
  readonly key: ResourceKey | null
  /** The deprecation and sunset, or null if the resource is not deprecated. */
  readonly lifetime: Lifetime | null
}

/** Returns whether a route is a `PUT` by key, which creates the row if it does not exist. */
export function isUpsert({ action, key }: ResourceFacet): boolean {
  return key !== null && action === 'replace'
}
