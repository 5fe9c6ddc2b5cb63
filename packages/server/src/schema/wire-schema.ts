import type { JsonSchema } from './json-schema.ts'
import { mapSubschemas } from './subschemas.ts'

/** Where a schema stands on the wire, and the largest size that a value can have there. */
export interface SchemaContext {
  readonly side: 'request' | 'response'
  readonly size: number
}

/**
 * The context of a schema in a response. No JSON text that we write is longer: V8 has no longer string. So no string and
 * no list in it is, either.
 */
export const RESPONSE_CONTEXT: SchemaContext = { side: 'response', size: 536_870_888 }

/** Keywords whose schemas describe the same object as the schema around them: they must not forbid its other members. */
const SAME_OBJECT_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'then', 'else', 'dependentSchemas'])

/** Keywords whose schemas tell values to refuse or to distinguish: a tighter one would let more values through. */
const CONDITION_KEYWORDS: ReadonlySet<string> = new Set(['not', 'if'])

/**
 * A schema as it stands in the document. Tools ask for a limit on everything, so a schema that is silent gets the
 * limits that hold anyway: of the body, of the URL, of the numbers that JSON carries safely.
 */
export function toWireSchema(schema: JsonSchema, context: SchemaContext, isPart = false): JsonSchema {
  const inner = mapSubschemas(schema, (sub, keyword) => {
    if (CONDITION_KEYWORDS.has(keyword)) return sub
    const isChoice = keyword === 'anyOf' || keyword === 'oneOf'
    return toWireSchema(sub, context, SAME_OBJECT_KEYWORDS.has(keyword) || (isChoice && (isPart || isMixed(schema))))
  })
  // A default is the server's business: generated clients would send it, and so freeze it.
  const { default: _, $schema: __, ...kept } = inner
  const limited = withLimits(kept, context)
  if (context.side === 'response') return openObject(limited)
  return isPart ? limited : closeObject(limited)
}

/** Does it say members of an object itself, and leave others to schemas inside it? */
function isMixed(schema: JsonSchema): boolean {
  const inner = ['anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'].some((keyword) => keyword in schema)
  return 'allOf' in schema || ('properties' in schema && inner)
}

function withLimits(schema: JsonSchema, { side, size }: SchemaContext): JsonSchema {
  // No request may carry U+0000.
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

/** An integer with both ends. `< 5` becomes `<= 4`, because tools do not want to be told in two ways. */
function withRange({ exclusiveMinimum: above, exclusiveMaximum: below, ...schema }: JsonSchema): JsonSchema {
  const lower = [schema['minimum'], typeof above === 'number' && Math.floor(above) + 1]
  const upper = [schema['maximum'], typeof below === 'number' && Math.ceil(below) - 1]
  const minimum = Math.max(Number.MIN_SAFE_INTEGER, ...lower.filter((end) => typeof end === 'number'))
  const maximum = Math.min(Number.MAX_SAFE_INTEGER, ...upper.filter((end) => typeof end === 'number'))
  const isShort = minimum >= -(2 ** 31) && maximum < 2 ** 31
  return { ...schema, minimum, maximum, format: schema['format'] ?? (isShort ? 'int32' : 'int64') }
}

/** A request says all its members: one that nobody knows is a mistake. */
function closeObject(schema: JsonSchema): JsonSchema {
  if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) return schema
  if ('type' in schema && !hasType(schema, 'object')) return schema
  if (isMixed(schema)) return { ...schema, unevaluatedProperties: false }
  if ('properties' in schema || 'patternProperties' in schema) return { ...schema, additionalProperties: false }
  return 'type' in schema ? { ...schema, additionalProperties: true } : schema
}

/** An answer may have new members some day, and clients must bear it. */
function openObject({ additionalProperties, unevaluatedProperties, oneOf, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
    ...(unevaluatedProperties !== undefined && unevaluatedProperties !== false && { unevaluatedProperties }),
    // Once choices are open, a value may fit more than one of them.
    ...(oneOf !== undefined && !('anyOf' in schema) && { anyOf: oneOf }),
  }
}

function hasType({ type }: JsonSchema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}
