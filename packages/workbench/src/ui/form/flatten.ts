import { followRef, isJsonObject, listOf, ownMember, type JsonSchema } from './json-schema.ts'

/** The number of consecutive references that are followed before they are considered a loop. */
const MAX_REFS = 50

/**
 * Merges a schema's top-level `$ref` and `allOf` into one schema. Returns false if no value is allowed, and null if the
 * result cannot be expressed as one schema. This only affects how a field looks; the validator decides what is valid.
 */
export function flatten(schema: unknown, root: JsonSchema, depth = 0): JsonSchema | false | null {
  if (schema === true || schema === undefined) return {}
  if (schema === false) return false
  if (!isJsonObject(schema) || depth > MAX_REFS) return null
  if (!('$ref' in schema) && !('allOf' in schema)) return schema
  const { $ref, allOf, ...rest } = schema
  const target = $ref === undefined ? true : followRef($ref, root)
  if (target === undefined) return null
  let flat: JsonSchema | false | null = rest
  for (const part of [target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])]) {
    const other = flatten(part, root, depth + 1)
    if (other === false) return false
    if (other === null || flat === null) return null
    flat = mergeSchemas(flat, other)
  }
  return flat
}

/** Merges two schemas, or returns null if that is not possible. The first title and description take precedence. */
function mergeSchemas(a: JsonSchema, b: JsonSchema): JsonSchema | null {
  const merged: Record<string, unknown> = { ...a }
  for (const [keyword, second] of Object.entries(b)) {
    const first = a[keyword]
    const both = first === undefined || isEqualSchema(first, second) ? second : mergeKeyword(keyword, first, second)
    if (both === null && second !== null) return null
    merged[keyword] = both
  }
  return merged
}

const FIRST_WINS = new Set(['title', 'description', 'default', 'examples', 'pattern', 'format', '$defs', '$schema'])
const GREATER_WINS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const LESSER_WINS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])
const BOTH_HOLD = new Set(['items', 'additionalProperties', 'propertyNames'])

function mergeKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (FIRST_WINS.has(keyword)) return a
  if (GREATER_WINS.has(keyword)) return Math.max(Number(a), Number(b))
  if (LESSER_WINS.has(keyword)) return Math.min(Number(a), Number(b))
  if (BOTH_HOLD.has(keyword)) return { allOf: [a, b] }
  if (keyword === 'required') return [...new Set([a, b].flat())]
  if (keyword === 'properties') return mergeProperties(a, b)
  if (keyword === 'type') return commonTypes([a].flat(), [b].flat())
  if (keyword === 'enum' && Array.isArray(a) && Array.isArray(b))
    return nullIfEmpty(a.filter((one) => b.some((other) => isEqualSchema(one, other))))
  return null
}

function mergeProperties(a: unknown, b: unknown): JsonSchema {
  const entries = Object.entries(isJsonObject(a) ? a : {}).map(([name, first]) => {
    const second = ownMember(b, name)
    return [name, second === undefined || isEqualSchema(first, second) ? first : { allOf: [first, second] }] as const
  })
  const more = Object.entries(isJsonObject(b) ? b : {}).filter(([name]) => ownMember(a, name) === undefined)
  // `fromEntries` is used instead of a spread, so that `__proto__` becomes a member and not the prototype.
  return Object.fromEntries([...entries, ...more])
}

function commonTypes(a: unknown[], b: unknown[]): unknown[] | null {
  const common = a.filter((type) => b.includes(type) || (type === 'integer' && b.includes('number')))
  return nullIfEmpty(common.length === 0 && a.includes('number') && b.includes('integer') ? ['integer'] : common)
}

function nullIfEmpty(list: unknown[]): unknown[] | null {
  return list.length === 0 ? null : list
}

function isEqualSchema(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the branches of `anyOf` or `oneOf`, each merged with the enclosing schema, or `[]` if there are none. */
export function branchesOf(schema: JsonSchema, root: JsonSchema): readonly (JsonSchema | false | null)[] {
  const keyword = ['anyOf', 'oneOf'].find((each) => listOf(schema, each).length > 0)
  if (keyword === undefined) return []
  const { [keyword]: branches, title: _title, description: _text, default: _given, examples: _seen, ...base } = schema
  return (branches as unknown[]).map((branch) => {
    const flat = flatten(branch, root)
    return flat === false || flat === null || Object.keys(base).length === 0 ? flat : mergeSchemas(flat, base)
  })
}
