import type { JsonSchema } from './json-schema.ts'
import { mapSubschemas } from './subschemas.ts'

/**
 * Whether a schema describes a request or a response, and the maximum size of a value in it. With an infinite size, no
 * implicit limits are added.
 */
export interface SchemaContext {
  readonly side: 'request' | 'response'
  readonly size: number
}

/**
 * The context of a schema in a response. Its size is V8's maximum string length, which limits the JSON of a response,
 * and therefore every string and array in it.
 */
export const RESPONSE_CONTEXT: SchemaContext = { side: 'response', size: 536_870_888 }

/**
 * Keywords whose schemas describe the same object as the enclosing schema, so they must not forbid its other
 * properties.
 */
const SAME_OBJECT_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'then', 'else', 'dependentSchemas'])

/** Keywords whose schemas are left unchanged: a stricter `not`, for example, would accept more values. */
const CONDITION_KEYWORDS: ReadonlySet<string> = new Set(['not', 'if'])

/**
 * Converts a schema to its form in the OpenAPI document. Tools expect a limit on everything, so a schema without limits
 * gets the implicit ones: the maximum size of the body or the URL, and the range of safe integers.
 */
export function toWireSchema(schema: JsonSchema, context: SchemaContext, isPart = false): JsonSchema {
  const inner = mapSubschemas(schema, (sub, keyword) => {
    if (CONDITION_KEYWORDS.has(keyword)) return sub
    const isChoice = keyword === 'anyOf' || keyword === 'oneOf'
    return toWireSchema(sub, context, SAME_OBJECT_KEYWORDS.has(keyword) || (isChoice && (isPart || isMixed(schema))))
  })
  // Defaults are omitted: generated clients would send them, so the server could not change them later.
  const { default: _, $schema: __, ...kept } = inner
  const limited = withLimits(kept, context)
  if (context.side === 'response') return openObject(limited)
  return isPart ? limited : closeObject(limited)
}

/** Returns whether a schema declares some properties of an object directly and others in subschemas. */
function isMixed(schema: JsonSchema): boolean {
  const inner = ['anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'].some((keyword) => keyword in schema)
  return 'allOf' in schema || ('properties' in schema && inner)
}

function withLimits(schema: JsonSchema, { side, size }: SchemaContext): JsonSchema {
  if (!Number.isFinite(size)) return schema
  // Requests must not contain U+0000.
  const pattern = side === 'request' ? String.raw`^[^\x00]*$` : String.raw`^[\s\S]*$`
  return {
    ...(hasType(schema, 'integer') ? withRange(schema) : schema),
    ...(hasType(schema, 'number') && { format: schema['format'] ?? 'double' }),
    ...(hasType(schema, 'string') && {
      maxLength: schema['maxLength'] ?? longestOf(schema) ?? size,
      pattern: schema['pattern'] ?? pattern,
    }),
    ...(hasType(schema, 'array') && { maxItems: schema['maxItems'] ?? size }),
  }
}

function longestOf({ enum: values }: JsonSchema): number | undefined {
  return Array.isArray(values) ? Math.max(0, ...values.map((value) => String(value).length)) : undefined
}

/** Adds both bounds to an integer. `< 5` becomes `<= 4`, because tools expect only one form. */
function withRange({ exclusiveMinimum: above, exclusiveMaximum: below, ...schema }: JsonSchema): JsonSchema {
  const lower = [schema['minimum'], typeof above === 'number' && Math.floor(above) + 1]
  const upper = [schema['maximum'], typeof below === 'number' && Math.ceil(below) - 1]
  const minimum = Math.max(Number.MIN_SAFE_INTEGER, ...lower.filter((end) => typeof end === 'number'))
  const maximum = Math.min(Number.MAX_SAFE_INTEGER, ...upper.filter((end) => typeof end === 'number'))
  const isShort = minimum >= -(2 ** 31) && maximum < 2 ** 31
  return { ...schema, minimum, maximum, format: schema['format'] ?? (isShort ? 'int32' : 'int64') }
}

/** Disallows additional properties in a request, since an unknown property is a mistake. */
function closeObject(schema: JsonSchema): JsonSchema {
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return schema
  if ('type' in schema && !hasType(schema, 'object')) return schema
  if (isMixed(schema)) return { ...schema, unevaluatedProperties: false }
  if ('properties' in schema || 'patternProperties' in schema) return { ...schema, additionalProperties: false }
  return 'type' in schema ? { ...schema, additionalProperties: true } : schema
}

/** Allows additional properties in a response, so that later versions can add properties. */
function openObject({ additionalProperties, unevaluatedProperties, oneOf, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(unevaluatedProperties !== undefined && unevaluatedProperties !== false && { unevaluatedProperties }),
    // A value may match several alternatives if they allow additional properties.
    ...(oneOf !== undefined && !('anyOf' in schema) && { anyOf: oneOf }),
  }
}

function hasType({ type }: JsonSchema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}
