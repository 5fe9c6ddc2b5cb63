import type { Fields, ResourceShape, Store, StoreSource, Where } from './store.ts'
import type { Context } from '../context/context.ts'
import type { Schema } from '@sdk/protocol'
import type { User } from '../auth/identity.ts'

/** An action on a resource: `update` is PATCH, and `replace` is PUT. */
export type ResourceAction = 'list' | 'get' | 'create' | 'replace' | 'update' | 'delete'

/** The argument that an access rule receives. */
export interface AccessRequest {
  /** The signed-in user, or null if the caller is not signed in. */
  readonly user: User | null
  /** The requested action. */
  readonly action: ResourceAction
  /** The context of the request. */
  readonly ctx: Context
}

/**
 * An access rule. `true` allows all rows, `false` denies access (401, or 403 for signed-in users), and field values
 * allow only the rows that match them: other rows are left out of lists, and requests for them get 404.
 */
export type ResourceAccess = 'public' | ((call: AccessRequest) => boolean | Where | Promise<boolean | Where>)

/** Hooks that are called after a change is stored. Errors are logged and do not affect the response. */
export interface ResourceEvents<T> {
  /** Called after a row is created. */
  created?: (item: T, ctx: Context) => unknown
  /** Called after a row is updated; `before` is the previous row. */
  updated?: (item: T, ctx: Context, before: T) => unknown
  /** Called after a row is deleted; `item` is the deleted row. */
  deleted?: (item: T, ctx: Context) => unknown
}

/**
 * A value that is computed from rows and is not stored. `load` is called once per page, with the rows of the page, and
 * returns one value per row.
 */
export interface ComputedValue<Item, Value> {
  /** The schema of a value. A value that does not match it causes a 500 response. */
  output: Schema<unknown, Value>
  load: (rows: readonly Item[], ctx: Context) => readonly NoInfer<Value>[] | Promise<readonly NoInfer<Value>[]>
}

/** The users that a field can refer to, such as `auth.profiles({ fields: ['name'] })`. */
export interface ReferenceTarget {
  readonly store: Store
  readonly definition: Pick<AnyResourceDefinition, 'access'>
  readonly representation?: { readonly idType: 'string' }
}

/** A field that contains the id of a user or of a row in another resource. */
export interface Reference {
  /** The name of the other resource, which must be mounted in the same app, or `auth.profiles(…)` for users. */
  to: string | ReferenceTarget
  /**
   * Whether deleting the other row also deletes the rows that refer to it (`cascade`), or is rejected with 409
   * (`restrict`). `cascade` does not apply the access rule of these rows and does not call their `on.deleted`.
   */
  onDelete: 'cascade' | 'restrict'
}

/** Options for the live data of a resource. */
export interface LiveOptions {
  /**
   * The live resources that the access rule reads. If one of them changes, the rule is evaluated again at once. Other
   * changes take effect within 30 s.
   * @default the live resources in the same database that the rule reads with `ctx.rows` or SQL
   */
  readonly access?: readonly LiveDependency[]
}

/** A resource that an access rule reads. Every `Resource` satisfies this interface. */
export interface LiveDependency {
  readonly name: string
  readonly shape: ResourceShape
  readonly store: Store
}

/** A resource definition without its type parameters, used internally. */
export interface AnyResourceDefinition {
  readonly description?: string
  readonly schema: Schema
  readonly store: StoreSource
  readonly access: ResourceAccess
  readonly assign?: (call: never) => Fields | Promise<Fields>
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly unique?: readonly (string | readonly string[])[]
  readonly key?: string | readonly string[]
  readonly ifMatch?: 'optional' | 'required'
  readonly check?: (values: never, ctx: Context, before: never) => unknown
  readonly on?: ResourceEvents<never>
  readonly computed?: Readonly<Record<string, ComputedValue<never, unknown>>>
  readonly references?: Readonly<Record<string, Reference>>
  readonly live?: boolean | LiveOptions
}
