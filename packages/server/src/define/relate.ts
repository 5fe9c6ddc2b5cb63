import { PAGE_LIMIT } from '@sdk/protocol'
import type { ResourceTypes } from '../context/rows.ts'
import { captureLocation } from '../platform/source-location.ts'
import type { Relation, RelationTarget } from './relation.ts'
import { assertExpandName } from './assert-resource.ts'
import { expandableOf, type Resource } from './resource.ts'
import { SYSTEM_FIELDS } from './resource-fields.ts'
import type { FieldType } from './store.ts'

/**
 * Adds relations to a resource. A request lists the relations that it needs, as in `?expand=author,comments`. Mount the
 * result in place of the resource.
 * @example relate(articles, { comments: hasMany(comments, 'articleId'), favoriteCount: countOf(favorites, 'articleId') })
 */
export function relate<
  Name extends string,
  Types extends ResourceTypes,
  const Relations extends Readonly<Record<string, Relation<unknown, FieldOf<Types['item']>>>>,
>(resource: Resource<Name, Types>, relations: Relations): Resource<Name, WithRelations<Types, Relations>> {
  if (resource?.kind !== 'resource')
    throw new TypeError('relate(resource, …) expects a resource created with createResource')
  for (const [name, relation] of Object.entries(relations)) {
    try {
      assertExpandName(name, { shape: resource.shape, others: expandableOf(resource) })
      assertRelation(resource, relation)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new TypeError(`relate(${resource.name}, { ${name} }): ${error.message}`, { cause: error })
    }
  }
  return {
    ...resource,
    relations: { ...resource.relations, ...relations },
    base: resource.base ?? resource,
    at: captureLocation(),
    '~types': undefined as never,
  }
}

/** The types of a resource with relations. */
export interface WithRelations<Types extends ResourceTypes, Relations> {
  item: Types['item']
  create: Types['create']
  update: Types['update']
  query: Types['query']
  keyPath: Types['keyPath']
  key: Types['key']
  put: Types['put']
  related: Types['related'] & {
    [Name in keyof Relations]: Relations[Name] extends Relation<infer Value> ? Value : never
  }
}

/** The names of the fields, or any string if the fields are unknown. */
type FieldOf<Item> = unknown extends Item ? string : keyof Item & string

function assertRelation(resource: RelationTarget, relation: Relation): void {
  const { kind, target, key, field, limit, where } = relation
  if (typeof target?.store?.list !== 'function')
    throw new TypeError(
      'must be created with belongsTo, hasMany, countOf or existsIn, for a resource whose store has list()',
    )
  assertIdField(resource, key, kind === 'one' ? target.representation?.idType : 'integer')
  assertIdField(target, field)
  if (kind === 'many' && !(Number.isInteger(limit) && limit >= 1 && limit <= PAGE_LIMIT.max))
    throw new TypeError(`limit must be an integer from 1 to ${PAGE_LIMIT.max}, got ${limit}`)
  if (kind === 'exists' && typeof where !== 'function')
    throw new TypeError(
      'existsIn needs a function that returns field values, such as ({ user }) => ({ userId: user.id })',
    )
  const sortable = ['id', ...target.shape.sort]
  const unsortable = relation.sort.find((one) => !sortable.includes(one.field))
  if (unsortable !== undefined)
    throw new TypeError(
      `sort must contain only sortable fields of ${target.name} (${sortable.join(', ')}), got ${unsortable.field}`,
    )
}

function assertIdField({ name, shape }: RelationTarget, field: string, type: FieldType = 'integer'): void {
  const found = [...SYSTEM_FIELDS, ...shape.fields].find((one) => one.name === field)
  if (found === undefined) throw new TypeError(`${JSON.stringify(field)} must be a field in the schema of ${name}`)
  if (found.type !== type)
    throw new TypeError(`${field} of ${name} contains an id, so it must be of type ${type}, got ${found.type}`)
}
