import { acceptsNull } from '../define/resource-fields.ts'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import { followPointer } from '../schema/subschemas.ts'

/** Keywords about whole objects, which a patch is not. */
const OF_WHOLES = ['required', 'minProperties', 'dependentRequired', 'dependentSchemas'] as const

/**
 * The schema of what a merge patch (RFC 7396) may say of such a value: of objects any part, and `null` removes what
 * may be missing.
 */
export function toPatchSchema(schema: JsonSchema, root: JsonSchema, seen: readonly unknown[] = []): JsonSchema {
  const { $ref, ...others } = schema
  if (typeof $ref === 'string') {
    const found = followPointer($ref, root)
    // A recursive schema has no last level: below, the document allows anything, and the server checks it.
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
    // A part may fit more than one of several objects, and remove what only another of them needs.
    ...(Array.isArray(choices) && {
      anyOf: choices.map((inner: unknown) =>
        isRecord(inner) ? toPatchSchema(withoutWholes(inner), root, seen) : inner,
      ),
    }),
  }
}

/** The same, or no value. */
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
