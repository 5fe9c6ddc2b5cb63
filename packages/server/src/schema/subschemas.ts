import { isRecord, type JsonSchema } from './json-schema.ts'

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'items',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
])
const LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/** Returns a schema with its direct subschemas replaced. `keyword` is the keyword that contains the subschema. */
export function mapSubschemas(
  schema: JsonSchema,
  replace: (inner: JsonSchema, keyword: string) => JsonSchema,
): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const each = (inner: unknown): unknown => (isRecord(inner) ? replace(inner, keyword) : inner)
    if (SCHEMA_KEYWORDS.has(keyword)) return [keyword, each(value)]
    if (LIST_KEYWORDS.has(keyword) && Array.isArray(value)) return [keyword, value.map(each)]
    if (MAP_KEYWORDS.has(keyword) && isRecord(value)) return [keyword, mapValues(value, each)]
    return [keyword, value]
  })
  return Object.fromEntries(entries) as JsonSchema
}

/** Resolves a pointer such as `#/$defs/node` within `root`. Returns null if its target is not a schema. */
export function followPointer(pointer: string, root: JsonSchema): JsonSchema | null {
  const keys = pointer === '#' ? [] : pointer.replace(/^#\//, '').split('/')
  const found = keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[unescape(key)] : null), root)
  return isRecord(found) ? found : null
}

function unescape(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}

function mapValues(values: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** A name that no schema library generates. */
const ROOT_NAME = '__whole'

/**
 * Returns the schema with its self-references redirected to a copy in `$defs`. The schema's members become members of a
 * larger object, which `#` would otherwise refer to.
 */
export function withNamedRoot(schema: JsonSchema): JsonSchema {
  if (!JSON.stringify(schema).includes('"$ref":"#"')) return schema
  const { $defs, ...root } = rename(schema)
  return { ...root, $defs: { ...(isRecord($defs) && $defs), [ROOT_NAME]: root } }
}

function rename(schema: JsonSchema): JsonSchema {
  const inner = mapSubschemas(schema, rename)
  return inner['$ref'] === '#' ? { ...inner, $ref: `#/$defs/${ROOT_NAME}` } : inner
}
