import { MAX_DETAILS, toPointer, type DetailSource, type ErrorDetail, type Schema } from '@sdk/protocol'
import { isRecord, toJsonSchema, type JsonSchema } from './json-schema.ts'
import { followPointer } from './subschemas.ts'

/**
 * The members of a value that its schema does not know. Most libraries drop them silently. So nothing is searched while
 * the checked value still has all that was sent; otherwise the JSON Schema tells which members are known.
 */
export function unknownFields(
  schema: Schema,
  { sent, checked, source }: { sent: unknown; checked: unknown; source: DetailSource },
): ErrorDetail[] {
  // Arktype drops nothing: what it does not know stays.
  if (schema['~standard'].vendor !== 'arktype' && hasAll(sent, checked)) return []
  const known = cachedJsonSchema(schema)
  if (known === null) return []
  const search: Search = { root: known, path: [], found: [] }
  collectUnknown(sent, [known], search)
  return search.found.map((path) => toUnknownDetail(path, source))
}

function hasAll(sent: unknown, checked: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return true
  if (typeof checked !== 'object' || checked === null) return false
  for (const key of Object.keys(sent)) {
    if (!Object.hasOwn(checked, key)) return false
    const inner = (sent as JsonSchema)[key]
    if (typeof inner === 'object' && inner !== null && !hasAll(inner, (checked as JsonSchema)[key])) return false
  }
  return true
}

const described = new WeakMap<Schema, JsonSchema | null>()

function cachedJsonSchema(schema: Schema): JsonSchema | null {
  let known = described.get(schema)
  if (known === undefined) described.set(schema, (known = toJsonSchema(schema, 'input')))
  return known
}

interface Search {
  readonly root: JsonSchema
  readonly path: string[]
  /** The paths of members that nothing names; no more of them than an answer tells. */
  readonly found: string[][]
}

/** Looks for members that none of these schemas names. One that is open, or says nothing, knows them all. */
function collectUnknown(value: unknown, schemas: readonly unknown[], search: Search): void {
  if (typeof value !== 'object' || value === null || search.found.length >= MAX_DETAILS) return
  const isList = Array.isArray(value)
  const parts = schemas.flatMap((schema) => alternativesOf(schema, search.root))
  // Each once: choices that lead to one another would else double with every level of the value.
  const choices = [...new Set(parts)].filter((part) => mayBe(part, isList ? 'array' : 'object'))
  if (choices.some((choice) => (isList ? !('items' in choice) : allowsAnyMember(choice)))) return
  for (const key of Object.keys(value)) {
    if (search.found.length >= MAX_DETAILS) return
    const members = choices.flatMap((choice) => (isList ? [choice['items']] : memberSchemasOf(choice, key)))
    search.path.push(key)
    if (members.length === 0 && choices.length > 0) search.found.push([...search.path])
    else collectUnknown((value as JsonSchema)[key], members, search)
    search.path.pop()
  }
}

/** The schemas that a schema is put together of, by choice or at once; each may name members. */
function alternativesOf(schema: unknown, root: JsonSchema, depth = 0): JsonSchema[] {
  const whole = resolveOrNull(schema, root)
  if (whole === null || depth > MAX_NESTED) return [{}]
  const groups = [whole['anyOf'], whole['oneOf'], whole['allOf']]
  const inner = groups.flatMap((group) => (Array.isArray(group) ? (group as unknown[]) : []))
  const parts = inner.flatMap((one) => alternativesOf(one, root, depth + 1))
  return inner.length === 0 || 'properties' in whole ? [whole, ...parts] : parts
}

/** A choice that leads back to itself has no end. */
const MAX_NESTED = 16

function mayBe({ type }: JsonSchema, name: 'array' | 'object'): boolean {
  return type === undefined || type === name || (Array.isArray(type) && type.includes(name))
}

function allowsAnyMember(schema: JsonSchema): boolean {
  return (
    (!isRecord(schema['properties']) && !isRecord(schema['additionalProperties'])) ||
    schema['additionalProperties'] === true ||
    ['patternProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema && schema[keyword] !== false)
  )
}

/** What a schema says of a member; empty: it does not name it. */
function memberSchemasOf({ properties, additionalProperties }: JsonSchema, key: string): unknown[] {
  if (isRecord(properties) && Object.hasOwn(properties, key)) return [properties[key]]
  return isRecord(additionalProperties) ? [additionalProperties] : []
}

function resolveOrNull(schema: unknown, root: JsonSchema): JsonSchema | null {
  if (!isRecord(schema)) return null
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const found = followPointer(reference, root)
  return found === null || '$ref' in found ? null : found
}

function toUnknownDetail(path: readonly string[], source: DetailSource): ErrorDetail {
  if (source === 'body')
    return { code: 'UNKNOWN_FIELD', message: 'is not a known field', source, pointer: toPointer(path) }
  return { code: 'UNKNOWN_PARAMETER', message: 'is not a known parameter', source, name: path.join('.') }
}
