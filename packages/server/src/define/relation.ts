import type { User } from '../auth/identity.ts'
import type { Context } from '../context/context.ts'
import type { AnyResourceDefinition } from './resource-definition.ts'
import type { FieldSchema } from './resource-fields.ts'
import { parseSortKeys, withIdKey } from './sort-keys.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { RelatedQuery, ResourceShape, Row, Store, Where } from './store.ts'

/** A resource that a relation refers to. Every `Resource` satisfies this interface. */
export interface RelationTarget<Types extends RelatedTypes = RelatedTypes> {
  readonly name: string
  readonly shape: ResourceShape
  readonly store: Store
  readonly definition: Pick<AnyResourceDefinition, 'access' | 'description' | 'live'>
  readonly fieldSchema: FieldSchema
  /** The resource without the relations added by `relate`. @default the resource itself */
  readonly base?: RelationTarget
  /** The representation of items that are not rows of a resource, such as users. @default the items of the resource */
  readonly representation?: Representation
  readonly '~types': Types
}

/** The representation of items that are not rows of a resource. */
export interface Representation {
  /** The type of the items' ids, and of the fields that contain these ids. */
  readonly idType: 'string'
  /** The JSON Schema of an item. */
  readonly schema: JsonSchema
  /** Serializes an item to JSON. */
  toText(row: Row): string
}

interface RelatedTypes {
  item: unknown
  query: unknown
}

/** A relation of a resource. `Value` is its value in a response, and `Key` is the field that it uses. */
export interface Relation<Value = unknown, Key extends string = string> extends Pick<
  RelatedQuery,
  'kind' | 'field' | 'sort' | 'limit'
> {
  readonly target: RelationTarget
  readonly key: Key
  /** Whether the value includes rows that the caller cannot see. */
  readonly isOfEveryone: boolean
  /** The additional condition of `existsIn`, or null for other relations. */
  readonly where: RelatedWhere | null
  readonly '~value': Value
}

/** A function that returns the field values that `existsIn` looks for. It is called only for signed-in users. */
export type RelatedWhere = (call: { readonly user: User; readonly ctx: Context }) => Where | Promise<Where>

/** Options for `hasMany`. */
export interface HasManyOptions<Sort = string> {
  /** The maximum number of rows, at most 100. @default 20 */
  limit?: number
  /** The sort order, with the same syntax as in lists of the related resource. @default 'id' */
  sort?: Sort
}

/** Options for `countOf`. */
export interface CountOptions<Of extends 'caller' | 'everyone' = 'caller' | 'everyone'> {
  /** Whether the count is exact. Otherwise, counting stops at 1,000. @default false */
  exact?: boolean
  /** Whether to count only the rows that the caller may list, or all rows. @default 'caller' */
  of?: Of
}

/** The number of rows at which `countOf` stops. */
const MAX_COUNT = 1_000

/**
 * Defines a relation to one row of another resource. A field of this resource contains the id of that row. The value
 * is null if there is no such row or if the caller may not read it.
 * @example relate(comments, { article: belongsTo(articles, 'articleId') })
 */
export function belongsTo<Types extends RelatedTypes, const Key extends string>(
  target: RelationTarget<Types>,
  key: Key,
): Relation<Types['item'] | null, Key> {
  return toRelation<Types['item'] | null, Key>(target, { kind: 'one', key, field: 'id', limit: 1 })
}

/**
 * Defines a relation to all rows of another resource whose `field` contains the id of this row. The value includes only
 * rows that the caller may list.
 * @example relate(articles, { comments: hasMany(comments, 'articleId', { limit: 10, sort: '-createdAt' }) })
 */
export function hasMany<Types extends RelatedTypes>(
  target: RelationTarget<Types>,
  field: IdField<Types['item']>,
  { limit = 20, sort }: HasManyOptions<SortOf<Types['query']>> = {},
): Relation<Types['item'][], 'id'> {
  return toRelation<Types['item'][], 'id'>(target, { kind: 'many', key: 'id', field, limit, sort })
}

/**
 * Defines a relation that counts all rows of another resource whose `field` contains the id of this row. The count is
 * null if the caller may not list these rows.
 * @example relate(articles, { favoriteCount: countOf(favorites, 'articleId', { of: 'everyone' }) })
 */
export function countOf<Types extends RelatedTypes, const Of extends 'caller' | 'everyone' = 'caller'>(
  target: RelationTarget<Types>,
  field: IdField<Types['item']>,
  { exact = false, of }: CountOptions<Of> = {},
): Relation<Of extends 'everyone' ? number : number | null, 'id'> {
  const limit = exact ? Number.POSITIVE_INFINITY : MAX_COUNT
  return toRelation(target, { kind: 'count', key: 'id', field, limit, isOfEveryone: of === 'everyone' })
}

/**
 * Defines a boolean that is true if another resource has a row whose `field` contains the id of this row and that
 * matches `where`. It is false for callers who are not signed in.
 * @example relate(articles, { favorited: existsIn(favorites, 'articleId', ({ user }) => ({ userId: user.id })) })
 */
export function existsIn<Types extends RelatedTypes>(
  target: RelationTarget<Types>,
  field: IdField<Types['item']>,
  where: RelatedWhere,
): Relation<boolean, 'id'> {
  return toRelation<boolean, 'id'>(target, { kind: 'exists', key: 'id', field, limit: 1, where })
}

/** The fields that can contain an id, or any string if the fields are unknown. */
type IdField<Item> = unknown extends Item
  ? string
  : { [Key in keyof Item]-?: [Exclude<Item[Key], null>] extends [number] ? Key : never }[keyof Item] & string

type SortOf<Query> = Query extends { sort?: (infer Sort extends string) | undefined } ? Sort : string

type RelationSpec<Key> = Pick<Relation, 'kind' | 'field' | 'limit'> &
  Partial<Pick<Relation, 'isOfEveryone' | 'where'>> & { key: Key; sort?: string | undefined }

function toRelation<Value, Key extends string>(
  target: RelationTarget,
  { isOfEveryone = false, where = null, sort = 'id', ...rest }: RelationSpec<Key>,
): Relation<Value, Key> {
  return {
    ...rest,
    target,
    isOfEveryone,
    where,
    sort: withIdKey(parseSortKeys(sort)),
    '~value': undefined as never,
  }
}
