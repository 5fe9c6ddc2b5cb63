import { alternativesOf, memberSchemasOf } from './alternatives.ts'
import { isRecord, type JsonSchema } from './json-schema.ts'

/** How many values the JSON of a request body or a socket message may have. */
export interface JsonLimits {
  /** Objects and lists. A schema whose lists have a `maxItems` allows as many as it declares. @default 2,000 */
  readonly objects?: number
  /**
   * Members of objects and items of lists. Items count by what it costs to find their faults: ten where their schema has
   * rules, such as a length, or where they are of another type. A schema that declares more allows them. @default 200,000
   */
  readonly values?: number
}

/** The limits of an app that sets none. */
export const JSON_LIMITS: Required<JsonLimits> = { objects: 2_000, values: 200_000 }

/** The limits that apply to one body or message. */
export interface JsonBounds extends Required<JsonLimits> {
  /** Returns the cost of each entry of the list or record at a path. */
  readonly entryCost: (path: readonly PropertyKey[]) => EntryCost
}

/** The cost of an entry of a list or record, in values. */
export interface EntryCost {
  readonly values: number
  /** Does it count as an object, even if it is a number or a text? */
  readonly isObject: boolean
  /** The types that its schema names, as JSON Schema calls them; null: any. */
  readonly types: ReadonlySet<string> | null
  /** Its further cost where it is of another type. */
  readonly mismatch: number
}

const PLAIN_ENTRY: EntryCost = { values: 1, isObject: false, types: null, mismatch: 0 }
/** The entry of a schema that cannot be read: it may be a union of objects. */
const OPAQUE_ENTRY: EntryCost = { ...PLAIN_ENTRY, isObject: true }

/** The limits of JSON that no schema validates. */
export const DEFAULT_BOUNDS: JsonBounds = { ...JSON_LIMITS, entryCost: () => PLAIN_ENTRY }

/**
 * Returns the limits for values of a schema: those that its definition sets, or else those of the app, raised to what
 * the schema declares. Undefined: no schema; null: one that cannot be read.
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

/** Returns the paths of the lists and records of a schema that have no maximum, such as `messages` and `messages.*.tags`. */
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

/** Returns how many values a schema allows by its own limits; lists and records without a maximum count as empty. */
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
      // A schema that contains itself has no maximum: its inner values are not counted.
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

/** A schema inside another: the path segment that leads to it, and how many values it is for; null: any number. */
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

/** Libraries report every fault: to report one takes at least ten times as long as to accept a value. */
const FAULT_COST = 10

/** The keywords of rules that a value of the right type may break. */
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

/** Returns the schemas of the entry with this key; null: of any entry that is not named. */
function entrySchemasOf(schema: JsonSchema, key: PropertyKey | null): unknown[] {
  if (key !== null && typeof key !== 'number') return memberSchemasOf(schema, String(key))
  const { items, additionalProperties, prefixItems } = schema
  const numbered: unknown = typeof key === 'number' && Array.isArray(prefixItems) ? prefixItems[key] : undefined
  const entries = numbered ?? items
  return [entries, ...(key === null ? [additionalProperties] : [])].filter(isRecord)
}
