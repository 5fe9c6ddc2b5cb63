import type { ResourceTypes } from '../context/rows.ts'
import type {
  AccessRequest,
  AnyResourceDefinition,
  ComputedValue,
  LiveOptions,
  Reference,
  ResourceAccess,
  ResourceEvents,
} from './resource-definition.ts'
import type { Relation } from './relation.ts'
import type { User } from '../auth/identity.ts'
import type { Schema, SchemaInput, SchemaOutput, Serialized } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { captureLocation, type SourceLocation } from '../platform/source-location.ts'
import { assertResource, assertStore } from './assert-resource.ts'
import type { KeyPath } from './resource-key.ts'
import { toFieldSchema, type FieldSchema } from './resource-fields.ts'
import type { Fields, ResourceShape, Store, StoreSource } from './store.ts'

/**
 * The argument that `assign` receives. With an access rule, only signed-in callers can create rows, so `user` is never
 * null.
 */
export interface AssignRequest<Access extends ResourceAccess, Out = unknown> extends Omit<AccessRequest, 'user'> {
  readonly user: Access extends 'public' ? User | null : User
  /**
   * All fields as they would be stored, as in `check`. Reading a missing or invalid field throws an error that results
   * in a 400 response, so any value that is read has the declared type.
   */
  readonly input: StoredFields<Out>
}

/**
 * A function that throws an `ApiError` for values that a schema cannot reject, such as an unknown id or an invalid
 * state transition. `values` contains all fields as they would be stored. `before` is the current row, or null for a
 * new row.
 */
export type ResourceCheck<Out> = (
  values: StoredFields<Out>,
  ctx: Context,
  before: Item<Out> | null,
) => undefined | Promise<void>

/** Options for `createResource`. */
export interface ResourceDefinition<
  S extends Schema,
  Access extends ResourceAccess,
  Filter,
  Sort,
  Assigned extends Fields = Fields,
  Key = unknown,
  Computed = {},
> {
  /** A one-sentence description of the resource. */
  description?: string
  /** The schema of the fields, without `id`, `createdAt` and `updatedAt`, which every resource has. */
  schema: S
  /** The store for the rows: `table('tasks')`, `memoryStore()`, or a custom store. */
  store: StoreSource
  /** The access rule. It is required, so that no resource is public by mistake. */
  access: Access
  /** Sets fields of a new row in addition to the caller's input. Callers cannot set these fields. @default none */
  assign?: (call: AssignRequest<Access, SchemaOutput<S>>) => Assigned | Promise<Assigned>
  /** The fields that lists can be filtered by. @default [] */
  filter?: readonly Filter[]
  /** The fields that lists can be sorted by, in addition to `id`. @default [] */
  sort?: readonly Sort[]
  /**
   * Fields or groups of fields, such as `['slug', ['ownerId', 'code']]`, whose values must be unique among all rows,
   * including rows that the caller cannot see. Duplicates are rejected with 409. Rows without a value never conflict.
   * @default []
   */
  unique?: readonly (ScalarKey<SchemaOutput<S>> | UniqueGroup<SchemaOutput<S>, Assigned>)[]
  /**
   * The field, or group of fields, that identifies a row in addition to its id. It is unique, and adds the routes
   * `GET`, `PUT`, `PATCH` and `DELETE /api/v{n}/{name}/by-{field}/:{field}`. `PUT` replaces the row, or creates it if
   * it does not exist. Fields that only `assign` sets have no path segment.
   * @default none
   */
  key?: Key & (ScalarKey<SchemaOutput<S>> | UniqueGroup<SchemaOutput<S>, Assigned>)
  /**
   * Whether changes require an `If-Match` header with the version of the row. If it is required, changes without this
   * header get 428.
   * @default 'optional'
   */
  ifMatch?: 'optional' | 'required'
  /**
   * Checks values that match the schema, before they are stored. If this function throws an error, the error becomes
   * the response.
   * @default accepts all values
   */
  check?: ResourceCheck<SchemaOutput<S>>
  /** Hooks that are called after a change is stored. @default none */
  on?: ResourceEvents<Item<SchemaOutput<S>>>
  /**
   * Fields that contain the ids of rows in other resources, or of users. If the row does not exist, or if the caller
   * may not read it, the request is rejected with 400. Tables get foreign keys with an index.
   * @default none
   * @example { articleId: { to: 'articles', onDelete: 'cascade' } }
   */
  references?: { readonly [Name in ScalarKey<SchemaOutput<S>>]?: Reference }
  /**
   * Values that are computed from rows. A response contains only the values that the request expands, as in
   * `?expand=readingMinutes`.
   * @default none
   * @example { readingMinutes: { output: z.number(), load: (rows) => rows.map(({ body }) => body.length / 1_000) } }
   */
  computed?: { readonly [Name in keyof Computed]: ComputedValue<Item<SchemaOutput<S>>, Computed[Name]> }
  /**
   * Whether clients can subscribe to the rows, as with `live: true` in `useAPI`. Tables get triggers that announce each
   * change, which makes writes slightly slower.
   * @default false
   * @example live: { access: [members] }
   */
  live?: boolean | LiveOptions
}

/** A group of fields, from the schema and from `assign`, whose values together must be unique. */
type UniqueGroup<Out, Assigned> = readonly (ScalarKey<Out> | (keyof NoInfer<Assigned> & string))[]

/** A resource, served by the six routes under `/api/v{n}/{name}`. */
export interface Resource<Name extends string = string, Types extends ResourceTypes = ResourceTypes> {
  readonly kind: 'resource'
  readonly name: Name
  readonly definition: AnyResourceDefinition
  readonly fieldSchema: FieldSchema
  readonly shape: ResourceShape
  readonly store: Store
  /** The relations that `relate` added, by name. */
  readonly relations: Readonly<Record<string, Relation>>
  /** The resource without the relations added by `relate`. @default the resource itself */
  readonly base?: Resource
  /** The source location of the definition. */
  readonly at: SourceLocation
  readonly '~types': Types
}

/**
 * Defines a resource, with routes to list, create, read, update and delete its rows.
 * `createRouter().resource('v1', tasks)` adds them at `/api/v1/tasks`.
 * @example createResource('tasks', { schema: z.object({ title: z.string() }), store: table('tasks'), access: 'public' })
 */
export function createResource<
  const Name extends string,
  S extends Schema,
  Access extends ResourceAccess,
  const Filter extends ScalarKey<SchemaOutput<S>> | keyof SystemFields = never,
  const Sort extends ScalarKey<SchemaOutput<S>> | keyof SystemFields = never,
  Assigned extends Fields = Fields,
  const Key extends string | readonly string[] = never,
  Computed = {},
>(
  name: Name,
  definition: ResourceDefinition<S, Access, Filter, Sort, Assigned, Key, Computed>,
): Resource<Name, TypesOf<WithoutAssigned<SchemaInput<S>, Assigned>, SchemaOutput<S>, Filter, Sort, Key, Computed>> {
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
    relations: {},
    at: captureLocation(),
    '~types': undefined as never,
  }
}

/** Returns the names that requests can expand: the computed values and the relations. */
export function expandableOf({ definition, relations }: Resource): string[] {
  return Object.keys({ ...definition.computed, ...relations })
}

/** The input that callers may send, which excludes the fields set by `assign`. */
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

/** A row as sent to callers. Missing values are null, and dates are strings. */
export type Item<Out> = Flat<{ id: number } & StoredFields<Out> & { createdAt: string; updatedAt: string }>

// Inlined, since editors and errors would show the name of an alias instead of the type.
type StoredFields<Out> = {
  [Key in keyof Out]-?: (undefined extends Out[Key] ? null : never) | Serialized<Exclude<Out[Key], undefined>>
}

type Primitive = string | number | boolean | null | undefined
type Flat<T> = { [Key in keyof T]: T[Key] }

/** The names of the fields with comparable values, or any string if the fields are unknown. */
type ScalarKey<Out> = string extends keyof Out
  ? string
  : {
      [Key in keyof Out]-?: Exclude<Out[Key], null | undefined> extends string | number | boolean | Date ? Key : never
    }[keyof Out] &
      string

/** The types that `createResource` derives from its schema and options. */
export interface TypesOf<In, Out, Filter extends string, Sort extends string, Key = never, Computed = {}> {
  item: Item<Out>
  create: In
  update: Patch<In>
  query: ListParameters<Out & SystemFields, Filter, Sort>
  keyPath: KeyPath<Key, keyof Out>
  key: [Key] extends [never] ? never : Pick<StoredFields<Out>, NamesOf<Key> & keyof Out>
  put: Keyed<In, NamesOf<Key>>
  related: { [Name in keyof Computed]: Serialized<Computed[Name]> }
}

/** The names in a key, which is a field or a group of fields. */
type NamesOf<Key> = Key extends readonly (infer Name)[] ? Name : Key

/** The input of a `PUT` by key: the fields in the path can be omitted. */
type Keyed<In, Names> = Flat<Omit<In, Names & keyof In> & Partial<Pick<In, Names & keyof In>>>

/** A deep partial of the input, in which null removes an optional member, and undefined leaves a member unchanged. */
type Patch<In> = { [Key in keyof In]?: PatchValue<In[Key]> | Removable<In, Key> | undefined }

/** `null` if a member can be removed, otherwise `never`. Required fields cannot be removed; keys of a record can. */
type Removable<In, Key extends keyof In> = string extends keyof In ? null : undefined extends In[Key] ? null : never

type PatchValue<Value> = unknown extends Value
  ? Value
  : Value extends Primitive | Date | bigint | readonly unknown[]
    ? Value
    : Patch<Value>

type Direction<Sort extends string> = Sort | 'id' | `-${Sort | 'id'}`

type ListParameters<Out, Filter extends string, Sort extends string> = Flat<
  {
    limit?: number | undefined
    cursor?: string | undefined
    count?: boolean | undefined
    /**
     * Up to three comma-separated fields, the most significant first. A `-` prefix sorts in descending order. The type
     * checks only the first field, because a union of all combinations would grow with the cube of the number of
     * fields. Unknown fields are rejected with 400.
     */
    sort?: Direction<Sort> | `${Direction<Sort>},${string}` | undefined
  } & { [Key in Filter & keyof Out]?: Filterable<Out[Key]> | undefined } & {
    [Key in Filter & keyof Out as `${Key}[${Operator<Out[Key]>}]`]?: Filterable<Out[Key]> | undefined
  } & { [Key in Filter as `${Key}[in]`]?: string | undefined } & {
    /** Whether the value is null. */
    [Key in Filter & keyof Out as MayBeNull<Out[Key]> extends true ? `${Key}[null]` : never]?: boolean | undefined
  }
>

type MayBeNull<Value> = [Extract<Value, null | undefined>] extends [never] ? false : true

/** The filter operators for a value. Booleans have no order, so they support only `ne`. */
type Operator<Value> = Exclude<Value, null | undefined> extends boolean ? 'ne' : 'ne' | 'gt' | 'gte' | 'lt' | 'lte'

type Filterable<Value> = Exclude<Serialized<Value>, null | undefined>
