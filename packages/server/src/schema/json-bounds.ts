import { alternativesOf, memberSchemasOf } from './alternatives.ts'
import { isRecord, type JsonSchema } from './json-schema.ts'

/** Limits on the number of JSON values in a request body or a socket message. */
export interface JsonLimits {
  /**
   * The maximum number of objects and arrays. If a schema allows more, for example with `maxItems`, its limit applies.
   * @default 2_000
   */
  readonly objects?: number
  /**
   * The maximum number of object members and array items. An item that is expensive to validate, because its schema has
   * rules (such as a maximum length) or because its type is wrong, counts as ten. If a schema allows more values, its
   * limit applies.
   * @default 200_000
   */
  readonly values?: number
}

/** The default limits. */
export const JSON_LIMITS: Required<JsonLimits> = { objects: 2_000, values: 200_000 }

/** The limits for a single body or message. */
export interface JsonBounds extends Required<JsonLimits> {
  /** Returns the cost of each entry in the array or record at a path. */
  readonly entryCost: (path: readonly PropertyKey[]) => EntryCost
}

/** The cost of an entry in an array or record, as a number of values. */
export interface EntryCost {
  readonly values: number
  /** Whether the entry counts as an object, even if it is a number or a string. */
  readonly isObject: boolean
  /** The JSON Schema types that the entry's schema declares, or null if it allows any type. */
  readonly types: ReadonlySet<string> | null
  /** The additional cost if the entry has a different type. */
  readonly mismatch: number
}

const PLAIN_ENTRY: EntryCost = { values: 1, isObject: false, types: null, mismatch: 0 }
/** The cost of an entry whose schema cannot be converted to JSON Schema and may be a union of objects. */
const OPAQUE_ENTRY: EntryCost = { ...PLAIN_ENTRY, isObject: true }

/** The limits for JSON without a schema. */
export const DEFAULT_BOUNDS: JsonBounds = { ...JSON_LIMITS, entryCost: () => PLAIN_ENTRY }

/**
 * Returns the limits for values of a schema: the definition's own limits, or the app's limits raised to the size that
 * the schema declares. `schema` is undefined if there is none, and null if it cannot be converted to JSON Schema.
 */
export function toJsonBounds(
  schema: JsonSchema | null | undefined,
  { objects, values }: Required<JsonLimits>,
  own: JsonLimits = {},
): JsonBounds {
  const declared = schema ? declaredSize(schema) : { objects: 0, values: 0 }
  return {
    objects: own.objects ?? Math.max(objects, declared.objects),
    values: own.values ?? Math.max(values, declared.values),
    entryCost: (path) => {
      if (schema === undefined) return PLAIN_ENTRY
      return schema === null ? OPAQUE_ENTRY : entryCostAt(schema, path)
    },
  }
}

/** Returns the paths of unbounded arrays and records in a schema, such as `messages` and `messages.*.tags`. */
export function findUnbounded(root: JsonSchema): string[] {
  const found = new Set<string>()
  const seen = new Set<JsonSchema>()
  const search = (schema: unknown, path: readonly string[]): void => {
    for (const choice of alternativesOf(schema, root)) {
      if (seen.has(choice)) continue
      seen.add(choice)
      for (const { part, name, count } of partsOf(choice)) {
        if (count === null) found.add(path.join('.') || 'the body')
        search(part, [...path, name])
      }
    }
  }
  search(root, [])
  return [...found]
}

type JsonSize = Required<JsonLimits>

const sizes = new WeakMap<JsonSchema, JsonSize>()

/**
 * Returns the number of objects and values that a schema's limits allow. Unbounded arrays and records count as empty.
 */
function declaredSize(root: JsonSchema): JsonSize {
  let size = sizes.get(root)
  if (size === undefined) sizes.set(root, (size = sizeOf(root, root, new Map())))
  return size
}

function sizeOf(schema: unknown, root: JsonSchema, known: Map<JsonSchema, JsonSize>): JsonSize {
  const total = { objects: 0, values: 0 }
  for (const choice of alternativesOf(schema, root)) {
    let size = known.get(choice)
    if (size === undefined) {
      // A recursive schema has no maximum, so its inner values are not counted.
      known.set(choice, { objects: 0, values: 0 })
      size = { objects: holdsEntries(choice) ? 1 : 0, values: costOf(choice) + mismatchCostOf(choice) }
      for (const { part, count } of partsOf(choice)) add(size, sizeOf(part, root, known), count ?? 0)
      known.set(choice, size)
    }
    add(total, size, 1)
  }
  return total
}

function add(total: { objects: number; values: number }, { objects, values }: JsonSize, count: number): void {
  total.objects += objects * count
  total.values += values * count
}

/** A subschema with its path segment and the number of values that it applies to, which is null if unlimited. */
interface SchemaPart {
  readonly part: unknown
  readonly name: string
  readonly count: number | null
}

function partsOf(schema: JsonSchema): SchemaPart[] {
  const { properties, prefixItems, items, maxItems, additionalProperties, maxProperties, propertyNames } = schema
  const parts = Object.entries(isRecord(properties) ? properties : {}).map(([name, part]) => ({ part, name, count: 1 }))
  const first = Array.isArray(prefixItems) ? (prefixItems as unknown[]) : []
  const numbered = first.map((part, at) => ({ part, name: String(at), count: 1 }))
  const names = isRecord(propertyNames) && Array.isArray(propertyNames['enum']) ? propertyNames['enum'].length : null
  const isAnything = !isRecord(additionalProperties) || Object.keys(additionalProperties).length === 0
  return [
    ...parts,
    ...numbered,
    ...(isRecord(items) ? [{ part: items, name: '*', count: toCount(maxItems) }] : []),
    ...(isAnything ? [] : [{ part: additionalProperties, name: '*', count: toCount(maxProperties) ?? names }]),
  ]
}

function toCount(limit: unknown): number | null {
  return typeof limit === 'number' ? limit : null
}

function holdsEntries(schema: JsonSchema): boolean {
  const types = typesOf(schema)
  return ['object', 'array'].some((type) => types.includes(type)) || 'properties' in schema || 'items' in schema
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  if (type === undefined) return []
  return Array.isArray(type) ? type : [type]
}

/** The cost of an invalid value. Reporting every issue takes at least ten times as long as accepting a valid value. */
const FAULT_COST = 10

/** Matches the keywords of rules that a value of the correct type can violate. */
const RULES = /^(?:min|max|exclusive|multipleOf$|pattern$|format$|enum$|const$|not$|unique)/

function costOf(schema: JsonSchema): number {
  return hasRules(schema) ? FAULT_COST : 1
}

function hasRules(schema: JsonSchema): boolean {
  return !holdsEntries(schema) && Object.keys(schema).some((keyword) => RULES.test(keyword))
}

function mismatchCostOf(schema: JsonSchema): number {
  return FAULT_COST * Math.max(1, typesOf(schema).length)
}

function entryCostAt(root: JsonSchema, path: readonly PropertyKey[]): EntryCost {
  let choices = alternativesOf(root, root)
  for (const key of path) choices = innerChoices(choices, root, key)
  const names = choices.flatMap(({ propertyNames }) => (isRecord(propertyNames) ? [propertyNames] : []))
  choices = innerChoices(choices, root, null)
  const types = choices.flatMap(typesOf).map(String)
  const isAny = choices.some((choice) => typesOf(choice).length === 0)
  return {
    values: Math.max(1, sum([...choices, ...names.filter(hasRules)].map(costOf))),
    isObject: choices.some(holdsEntries),
    types: isAny || choices.length === 0 ? null : new Set(types.includes('integer') ? [...types, 'number'] : types),
    mismatch: sum(choices.map(mismatchCostOf)),
  }
}

function innerChoices(choices: readonly JsonSchema[], root: JsonSchema, key: PropertyKey | null): JsonSchema[] {
  const inner = choices.flatMap((choice) => entrySchemasOf(choice, key))
  return [...new Set(inner.flatMap((schema) => alternativesOf(schema, root)))]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Returns the schemas of the entry with this key, or of any undeclared entry if the key is null. */
function entrySchemasOf(schema: JsonSchema, key: PropertyKey | null): unknown[] {
  if (key !== null && typeof key !== 'number') return memberSchemasOf(schema, String(key))
  const { items, additionalProperties, prefixItems } = schema
  const numbered: unknown = typeof key === 'number' && Array.isArray(prefixItems) ? prefixItems[key] : undefined
  const entries = numbered ?? items
  return [entries, ...(key === null ? [additionalProperties] : [])].filter(isRecord)
}
