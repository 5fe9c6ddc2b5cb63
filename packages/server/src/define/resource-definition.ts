import type { Fields, StoreSource, Where } from './store.ts'
import type { Context } from '../context/context.ts'
import type { Schema } from '@sdk/protocol'
import type { User } from '../auth/identity.ts'

/** What is done to a resource; `update` is PATCH, `replace` is PUT. */
export type ResourceAction = 'list' | 'get' | 'create' | 'replace' | 'update' | 'delete'

/** What an access rule decides by. */
export interface AccessRequest {
  /** Who is calling; null when nobody is signed in. */
  readonly user: User | null
  /** What they want to do. */
  readonly action: ResourceAction
  /** The context of the request. */
  readonly ctx: Context
}

/**
 * Who may do what. `true` is everything, `false` nothing (401, or 403 for who is signed in), and values by field are
 * only the rows that have them: others are left out of lists, and 404.
 */
export type ResourceAccess = 'public' | ((call: AccessRequest) => boolean | Where | Promise<boolean | Where>)

/** Hears of changes after they are kept. A failure is logged and changes nothing. */
export interface ResourceEvents<T> {
  /** One was made. */
  created?: (item: T, ctx: Context) => unknown
  /** One was changed; `before` is what it was. */
  updated?: (item: T, ctx: Context, before: T) => unknown
  /** One was deleted: `item` is what it was. */
  deleted?: (item: T, ctx: Context) => unknown
}

/** A definition without its type parameters: what the app works with. */
export interface AnyResourceDefinition {
  readonly description?: string
  readonly schema: Schema
  readonly store: StoreSource
  readonly access: ResourceAccess
  readonly assign?: (call: never) => Fields | Promise<Fields>
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly unique?: readonly (string | readonly string[])[]
  readonly ifMatch?: 'optional' | 'required'
  readonly check?: (values: never, ctx: Context, before: never) => unknown
  readonly on?: ResourceEvents<never>
}
