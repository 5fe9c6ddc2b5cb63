import { acceptsNull } from '../define/resource-fields.ts'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { followPointer } from '../schema/subschemas.ts'

/** Keywords that apply only to complete objects, not to patches. */
const OF_WHOLES = ['required', 'minProperties', 'dependentRequired', 'dependentSchemas'] as const

/**
 * Returns the schema for merge patches (RFC 7396) of a value: all object members are optional, and `null` removes an
 * optional member.
 */
export function toPatchSchema(schema: JsonSchema, root: JsonSchema, seen: readonly unknown[] = []): JsonSchema {
  const { $ref, ...others } = schema
  if (typeof $ref === 'string') {
    const found = followPointer($ref, root)
    // A recursive schema is expanded only once. At deeper levels, the document allows any value, but the server still
    // validates it.
    if (found === null || seen.includes($ref)) return withoutWholes(others)
    return toPatchSchema({ ...found, ...others }, root, [...seen, $ref])
  }
  const { properties, additionalProperties, required, anyOf, oneOf } = schema
  const needed: ReadonlySet<unknown> = new Set(Array.isArray(required) ? required : [])
  const patch = (inner: unknown, name?: string): unknown => {
    if (!isRecord(inner)) return inner
    const part = toPatchSchema(inner, root, seen)
    return needed.has(name) ? part : withNull(part, root)
  }
  const choices = anyOf ?? oneOf
  const { oneOf: _, ...rest } = withoutWholes(schema)
  return {
    ...rest,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, patch(inner, name)])),
    }),
    ...(isRecord(additionalProperties) && { additionalProperties: patch(additionalProperties) }),
    // A patch may match several alternatives, and may remove a property that only another alternative requires.
    ...(Array.isArray(choices) && {
      anyOf: choices.map((inner: unknown) =>
        isRecord(inner) ? toPatchSchema(withoutWholes(inner), root, seen) : inner,
      ),
    }),
  }
}

/** Returns the schema extended to accept null. */
export function withNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (acceptsNull(schema, root)) return schema
  const { description, ...plain } = schema
  const extra = typeof description === 'string' ? { description } : {}
  const { type, anyOf } = plain
  if (typeof type === 'string' && !('enum' in plain) && !('const' in plain))
    return { ...plain, ...extra, type: [type, 'null'] }
  if (Array.isArray(anyOf) && Object.keys(plain).length === 1)
    return { ...extra, anyOf: [...(anyOf as unknown[]), { type: 'null' }] }
  return { ...extra, anyOf: [plain, { type: 'null' }] }
}

function withoutWholes(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_WHOLES.some((name) => name === keyword)))
}
