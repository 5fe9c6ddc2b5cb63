import type { ResourceTypes } from '../context/rows.ts'
import type { AccessRequest, ResourceAccess, ResourceEvents, AnyResourceDefinition } from './resource-definition.ts'
import type { User } from '../auth/identity.ts'
import type { Schema, SchemaInput, SchemaOutput, Serialized } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { captureLocation, type SourceLocation } from '../platform/source-location.ts'
import { assertResource, assertStore } from './assert-resource.ts'
import { toFieldSchema, type FieldSchema } from './resource-fields.ts'
import type { Fields, ResourceShape, Store, StoreSource } from './store.ts'

/** What is assigned by. Where access has a rule, only callers who are signed in may create. */
export interface AssignRequest<Access extends ResourceAccess, Out = unknown> extends Omit<AccessRequest, 'user'> {
  readonly user: Access extends 'public' ? User | null : User
  /**
   * All fields as the caller wants them kept, as `check` has them. One that is missing or wrong is the caller's 400 when
   * it is read, so that what is read is of its type.
   */
  readonly input: StoredFields<Out>
}

/**
 * Refuses by an `ApiError` what a schema cannot see: an id that leads nowhere, a step that the row is not ready for.
 * `values` are all fields as they would be kept; `before` is the row as it is, null for a new one.
 */
export type ResourceCheck<Out> = (
  values: StoredFields<Out>,
  ctx: Context,
  before: Item<Out> | null,
) => undefined | Promise<void>

/** What `createResource` takes. */
export interface ResourceDefinition<
  S extends Schema,
  Access extends ResourceAccess,
  Filter,
  Sort,
  Assigned extends Fields = Fields,
> {
  /** One sentence on what it is. */
  description?: string
  /** The fields, without `id`, `createdAt` and `updatedAt`, which every resource has. */
  schema: S
  /** Where the rows live: `table('tasks')`, `memoryStore()`, or functions of your own. */
  store: StoreSource
  /** Who may do what: nothing is open by mistake. */
  access: Access
  /** Values that a new row gets beside what the caller sends; callers cannot set these fields. @default none */
  assign?: (call: AssignRequest<Access, SchemaOutput<S>>) => Assigned | Promise<Assigned>
  /** The fields that lists can be filtered by. @default [] */
  filter?: readonly Filter[]
  /** The fields that lists can be sorted by, beside `id`. @default [] */
  sort?: readonly Sort[]
  /**
   * What no two rows may have the same, whoever may see them: a field, or several together, such as
   * `['slug', ['ownerId', 'code']]`; otherwise 409. Rows without a value are never the same.
   * @default []
   */
  unique?: readonly (ScalarKey<SchemaOutput<S>> | UniqueGroup<SchemaOutput<S>, Assigned>)[]
  /** Must changes say by `If-Match` which version they mean? Without one: 428. @default 'optional' */
  ifMatch?: 'optional' | 'required'
  /** Judges what is about to be stored, once it is valid: what it throws is the answer. @default everything may be */
  check?: ResourceCheck<SchemaOutput<S>>
  /** What happens after a change is stored. @default nothing */
  on?: ResourceEvents<Item<SchemaOutput<S>>>
}

/** Fields that count together, of the schema and of `assign`. */
type UniqueGroup<Out, Assigned> = readonly (ScalarKey<Out> | (keyof NoInfer<Assigned> & string))[]

/** Rows of one kind, reached by the six routes of `/api/v{n}/{name}`. */
export interface Resource<Name extends string = string, Types extends ResourceTypes = ResourceTypes> {
  readonly kind: 'resource'
  readonly name: Name
  readonly definition: AnyResourceDefinition
  readonly fieldSchema: FieldSchema
  readonly shape: ResourceShape
  readonly store: Store
  /** Where it is defined. */
  readonly at: SourceLocation
  readonly '~types': Types
}

/**
 * Defines a resource, with routes to list, create, read, change and delete its rows.
 * `createRouter().resource('v1', tasks)` puts them at `/api/v1/tasks`.
 * @example createResource('tasks', { schema: z.object({ title: z.string() }), store: table('tasks'), access: 'public' })
 */
export function createResource<
  const Name extends string,
  S extends Schema,
  Access extends ResourceAccess,
  const Filter extends ScalarKey<SchemaOutput<S>> | keyof SystemFields = never,
  const Sort extends ScalarKey<SchemaOutput<S>> | keyof SystemFields = never,
  Assigned extends Fields = Fields,
>(
  name: Name,
  definition: ResourceDefinition<S, Access, Filter, Sort, Assigned>,
): Resource<Name, TypesOf<WithoutAssigned<SchemaInput<S>, Assigned>, SchemaOutput<S>, Filter, Sort>> {
  const plain = definition as unknown as AnyResourceDefinition
  const { fieldSchema, shape } = assertResource(name, plain, toFieldSchema)
  const store = typeof plain.store === 'function' ? plain.store(shape) : plain.store
  assertStore(name, plain, store)
  return {
    kind: 'resource',
    name,
    definition: plain,
    fieldSchema,
    shape,
    store,
    at: captureLocation(),
    '~types': undefined as never,
  }
}

/** What callers may send: not what `assign` sets. */
type WithoutAssigned<In, Assigned> = string extends keyof Assigned
  ? In
  : [keyof In & keyof Assigned] extends [never]
    ? In
    : Omit<In, keyof Assigned>

interface SystemFields {
  id: number
  createdAt: string
  updatedAt: string
}

/** A row as callers see it: fields that may have no value are null, and dates are texts. */
export type Item<Out> = Flat<{ id: number } & StoredFields<Out> & { createdAt: string; updatedAt: string }>

type StoredFields<Out> = { [Key in keyof Out]-?: WireValue<Out[Key]> }

type WireValue<Value> = (undefined extends Value ? null : never) | Serialized<Exclude<Value, undefined>>

type Primitive = string | number | boolean | null | undefined
type Flat<T> = { [Key in keyof T]: T[Key] }

/** The fields whose values can be compared; where no fields are known, any. */
type ScalarKey<Out> = string extends keyof Out
  ? string
  : {
      [Key in keyof Out]-?: Exclude<Out[Key], null | undefined> extends string | number | boolean | Date ? Key : never
    }[keyof Out] &
      string

/** What `createResource` makes of its types. */
export interface TypesOf<In, Out, Filter extends string, Sort extends string> {
  item: Item<Out>
  create: In
  update: Patch<In>
  query: ListParameters<Out & SystemFields, Filter, Sort>
}

/** Any part, of objects within too; null removes what may be missing. */
type Patch<In> = { [Key in keyof In]?: PatchValue<In[Key]> | Removable<In, Key> }

/** A field that must be there cannot be removed, while every key of a record can. */
type Removable<In, Key extends keyof In> = string extends keyof In ? null : undefined extends In[Key] ? null : never

type PatchValue<Value> = unknown extends Value
  ? Value
  : Value extends Primitive | Date | bigint | readonly unknown[]
    ? Value
    : Patch<Value>

type Direction<Sort extends string> = Sort | 'id' | `-${Sort | 'id'}`

type ListParameters<Out, Filter extends string, Sort extends string> = Flat<
  {
    limit?: number
    cursor?: string
    count?: boolean
    /**
     * Up to three, the most important first; `-` is descending. Only the first is checked by its type, since a type of all
     * combinations grows with the square of the fields; an unknown one is 400.
     */
    sort?: Direction<Sort> | `${Direction<Sort>},${string}`
  } & { [Key in Filter & keyof Out]?: Filterable<Out[Key]> } & {
    [Key in Filter & keyof Out as `${Key}[${Operator<Out[Key]>}]`]?: Filterable<Out[Key]>
  } & { [Key in Filter as `${Key}[in]`]?: string } & {
    /** Whether it has no value. */
    [Key in Filter & keyof Out as MayBeNull<Out[Key]> extends true ? `${Key}[null]` : never]?: boolean
  }
>

type MayBeNull<Value> = [Extract<Value, null | undefined>] extends [never] ? false : true

/** Booleans have no order, so that there is only `ne`. */
type Operator<Value> = Exclude<Value, null | undefined> extends boolean ? 'ne' : 'ne' | 'gt' | 'gte' | 'lt' | 'lte'

type Filterable<Value> = Exclude<Serialized<Value>, null | undefined>
