import type { AnyResourceDefinition, LiveOptions } from './resource-definition.ts'
import type { Schema } from '@sdk/protocol'
import { isSchema } from '../schema/assert-schemas.ts'
import { keyNamesOf } from './resource-key.ts'
import { assertFieldName, SYSTEM_FIELDS, type FieldSchema } from './resource-fields.ts'
import type { Field, ResourceShape, Store } from './store.ts'

/** The maximum length of a sortable string, which becomes part of a cursor and therefore of a URL. */
const MAX_SORT_LENGTH = 255

const LIST_PARAMETER_NAMES: ReadonlySet<string> = new Set(['limit', 'cursor', 'sort', 'count', 'fields', 'expand', 'q'])

/** Returns the field schema and shape of a definition. Throws a `TypeError` if the definition is invalid. */
export function assertResource(
  name: string,
  definition: AnyResourceDefinition,
  toSchema: (schema: Schema) => FieldSchema,
): { fieldSchema: FieldSchema; shape: ResourceShape } {
  if (!/^[a-z][a-zA-Z0-9]{0,62}$/.test(name))
    throw new TypeError(`a resource's name must be a camelCase plural noun, like "tasks", got ${JSON.stringify(name)}`)
  try {
    assertOptions(definition)
    const fieldSchema = toSchema(definition.schema)
    const { filter = [], sort = [], unique = [] } = definition
    const isAssigning = definition.assign !== undefined
    const key = keyNamesOf(definition)
    const groups = toGroups(key.length === 0 ? unique : [...unique, key])
    const references = Object.keys(definition.references ?? {})
    const indexed = references.length === 0 ? {} : { references }
    const live = definition.live === undefined || definition.live === false ? {} : { isLive: true }
    const shape = { name, fields: fieldSchema.fields, filter, sort, unique: groups, ...indexed, ...live }
    assertFields(shape)
    assertGroups('unique', toGroups(unique), { fields: shape.fields, isAssigning })
    if (definition.key !== undefined) assertGroups('key', [key], { fields: shape.fields, isAssigning })
    for (const field of references) assertReference(field, definition, shape)
    for (const computed in definition.computed) assertComputed(computed, definition, shape)
    return { fieldSchema, shape }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`resource ${JSON.stringify(name)}: ${error.message}`, { cause: error })
  }
}

/** Throws if a name cannot be used for a relation or a computed value. */
export function assertExpandName(
  name: string,
  { shape, others }: { readonly shape: ResourceShape; readonly others: readonly string[] },
): void {
  assertFieldName(name)
  const taken = [...shape.fields.map((field) => field.name), ...others]
  if (taken.includes(name)) throw new TypeError(`${name} is already a field, a relation or a computed value: rename it`)
}

function assertReference(name: string, { references = {} }: AnyResourceDefinition, { fields }: ResourceShape): void {
  const { type } = findField(fields, name, 'references')
  const { to, onDelete } = references[name] ?? {}
  if (typeof to !== 'string' && to?.representation === undefined)
    throw new TypeError(`references.${name}.to must be the name of a resource, or auth.profiles(…), got ${typeof to}`)
  const idType = typeof to === 'string' ? 'integer' : 'string'
  if (type !== idType)
    throw new TypeError(`references.${name} contains an id, so it must be of type ${idType}, got ${type}`)
  if (onDelete !== 'cascade' && onDelete !== 'restrict')
    throw new TypeError(`references.${name}.onDelete must be 'cascade' or 'restrict', got ${String(onDelete)}`)
}

function assertComputed(name: string, definition: AnyResourceDefinition, shape: ResourceShape): void {
  assertExpandName(name, { shape, others: [] })
  const { output, load } = definition.computed?.[name] ?? {}
  if (!isSchema(output) || typeof load !== 'function')
    throw new TypeError(`computed.${name} must be { output: a schema, load: (rows) => a value for each row }`)
}

/** Throws if the store does not support the definition's options. */
export function assertStore(name: string, { ifMatch, live }: AnyResourceDefinition, store: Store): void {
  if (live !== undefined && live !== false && (store.watch === undefined || store.list === undefined))
    throw new TypeError(
      `resource ${JSON.stringify(name)}: the store cannot announce changes, so live must be false: use table('…') from @sdk/database, or add watch() and list() to the store`,
    )
  if (ifMatch === 'required' && store.delete !== undefined && store.get === undefined)
    throw new TypeError(
      `resource ${JSON.stringify(name)}: ifMatch is 'required', but the store has no get() to compare versions`,
    )
}

function assertOptions({ schema, store, access, assign, check, ifMatch, live }: AnyResourceDefinition): void {
  if (!isSchema(schema)) throw new TypeError('schema must be a Standard Schema, such as z.object({ … })')
  if (typeof store !== 'function' && (typeof store !== 'object' || store === null))
    throw new TypeError("store must be table('…') from @sdk/database, memoryStore(), or a custom store")
  if (access !== 'public' && typeof access !== 'function')
    throw new TypeError("access must be 'public', or a function that returns which rows the caller may access")
  if (assign !== undefined && typeof assign !== 'function') throw new TypeError('assign must be a function')
  if (check !== undefined && typeof check !== 'function') throw new TypeError('check must be a function')
  if (ifMatch !== undefined && ifMatch !== 'optional' && ifMatch !== 'required')
    throw new TypeError("ifMatch must be 'optional' or 'required'")
  if (live !== undefined && typeof live !== 'boolean') assertLiveOptions(live)
}

function assertLiveOptions(live: LiveOptions): void {
  const { access = [] } = live
  const isList = typeof access === 'object' && 'find' in access
  if (typeof live !== 'object' || !isList) throw new TypeError('live must be true, false or { access: [resources] }')
  const other = access.find(({ shape }) => shape.isLive !== true)
  if (other !== undefined)
    throw new TypeError(`live.access contains ${other.name}, whose changes are not announced: add live: true to it`)
}

function assertFields({ fields, filter, sort }: ResourceShape): void {
  const known = [...fields, ...SYSTEM_FIELDS]
  for (const name of filter) {
    findField(known, name, 'filter')
    if (LIST_PARAMETER_NAMES.has(name))
      throw new TypeError(`filter cannot contain ${name}, which is a query parameter of every list: rename the field`)
  }
  for (const name of sort) {
    const { type, maxLength = Number.POSITIVE_INFINITY } = findField(known, name, 'sort')
    if (type === 'string' && maxLength > MAX_SORT_LENGTH)
      throw new TypeError(
        `sort contains ${name}, whose values may be too long: limit them to ${MAX_SORT_LENGTH} characters`,
      )
  }
}

/** Converts `unique` to groups of fields, without duplicates. */
function toGroups(unique: NonNullable<AnyResourceDefinition['unique']>): string[][] {
  const groups = unique.map((one) => (typeof one === 'string' ? [one] : [...one]))
  return [...new Map(groups.map((group) => [group.join(), group])).values()]
}

/**
 * Validates groups of fields. Fields set by `assign` are not known yet, so `assertComparable` checks them in new rows.
 */
function assertGroups(
  option: 'unique' | 'key',
  groups: readonly (readonly string[])[],
  { fields, isAssigning }: { fields: readonly Field[]; isAssigning: boolean },
): void {
  const isAssigned = (name: string): boolean =>
    isAssigning && ![...fields, ...SYSTEM_FIELDS].some((field) => field.name === name)
  for (const group of groups) {
    if (group.length === 0 || new Set(group).size < group.length)
      throw new TypeError(
        `${option} contains [${group.join(', ')}]: a group must contain at least one field, and each field only once`,
      )
    for (const name of group) if (!isAssigned(name)) findField(fields, name, option)
  }
}

function findField(known: readonly Field[], name: string, what: string): Field {
  const field = known.find((one) => one.name === name)
  if (field === undefined)
    throw new TypeError(
      `${what} contains ${JSON.stringify(name)}, which is not a field: use ${known.map((one) => one.name).join(', ')}`,
    )
  if (field.type === 'json') throw new TypeError(`${what} contains ${name}, which is not a string, number or boolean`)
  return field
}
