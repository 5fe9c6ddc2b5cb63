import type { Schema } from '@sdk/protocol'
import { isRecord, toJsonSchema, type JsonSchema } from './json-schema.ts'
import { followPointer } from './subschemas.ts'

const described = new WeakMap<Schema, JsonSchema | null>()

/** Returns the JSON Schema of the values that a schema accepts, or null if its library cannot convert it. */
export function inputSchemaOf(schema: Schema): JsonSchema | null {
  let known = described.get(schema)
  if (known === undefined) described.set(schema, (known = toJsonSchema(schema, 'input')))
  return known
}

/** Returns the schemas that can declare members: the schema itself and its `anyOf`, `oneOf` and `allOf` parts. */
export function alternativesOf(schema: unknown, root: JsonSchema, depth = 0): JsonSchema[] {
  const whole = resolveOrNull(schema, root)
  if (whole === null || depth > MAX_NESTED) return [{}]
  const groups = [whole['anyOf'], whole['oneOf'], whole['allOf']]
  const inner = groups.flatMap((group) => (Array.isArray(group) ? (group as unknown[]) : []))
  const parts = inner.flatMap((one) => alternativesOf(one, root, depth + 1))
  return inner.length === 0 || 'properties' in whole ? [whole, ...parts] : parts
}

/** The maximum depth of nested alternatives, which may refer to themselves. */
const MAX_NESTED = 16

/** Returns whether a schema accepts values of this type. */
export function mayBe({ type }: JsonSchema, name: 'array' | 'object'): boolean {
  return type === undefined || type === name || (Array.isArray(type) && type.includes(name))
}

/** Returns a member's schemas, or an empty array if the schema does not declare the member. */
export function memberSchemasOf({ properties, additionalProperties }: JsonSchema, key: string): unknown[] {
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
