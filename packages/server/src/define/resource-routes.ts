import type { HasTypes, Page } from '@sdk/protocol'
import type { ResourceTypes } from '../context/rows.ts'
import type { Resource } from './resource.ts'

/** The routes of a resource, for the registry: `ResourceRoutes<'v1', typeof tasks>`. */
export type ResourceRoutes<Version extends string, R> =
  R extends Resource<infer Name, infer Types> ? RoutesAt<`/api/${Version}/${Name}`, Types> : never

type RoutesAt<Path extends string, Types extends ResourceTypes> = {
  readonly [Key in `GET ${Path}`]: ReadRouteIO<Types, Page<Types['item']>, Types['query']>
} & {
  readonly [Key in `GET ${Path}/:id`]: ReadRouteIO<Types, Types['item']>
} & {
  readonly [Key in `POST ${Path}`]: ResourceRouteIO<Types['create'], Types['item']>
} & {
  readonly [Key in `DELETE ${Path}/:id`]: ResourceRouteIO<undefined, Types['item']>
} & {
  readonly [Key in `PUT ${Path}/:id`]: ResourceRouteIO<Types['create'], Types['item']>
} & {
  readonly [Key in `PATCH ${Path}/:id`]: ResourceRouteIO<Types['update'], Types['item']>
} & RoutesByKey<`${Path}/${Types['keyPath'] & string}`, Types>

/** The routes of a resource's key, if it has one. */
type RoutesByKey<Path extends string, Types extends ResourceTypes> = {
  readonly [Key in `GET ${Path}`]: ReadRouteIO<Types, Types['item']>
} & {
  readonly [Key in `DELETE ${Path}`]: ResourceRouteIO<undefined, Types['item']>
} & {
  readonly [Key in `PUT ${Path}`]: ResourceRouteIO<Types['put'], Types['item']>
} & {
  readonly [Key in `PATCH ${Path}`]: ResourceRouteIO<Types['update'], Types['item']>
}

/** The types of a route that returns items, which may include expanded values. */
type ReadRouteIO<Types extends ResourceTypes, Output, Query = {}> = HasTypes<{
  input: undefined
  output: Output
  stream: false
  query: Query
  item: Types['item']
  related: Types['related']
}>

type ResourceRouteIO<Input, Output, Query = {}> = HasTypes<{
  input: Input
  output: Output
  stream: false
  query: Query
}>
