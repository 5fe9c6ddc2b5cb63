import { toPointer, type DetailSource, type ErrorDetail, type Schema } from '@sdk/protocol'
import { toJsonSchema, type JsonSchema } from '../openapi/json-schema.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The members of a value that its schema knows nothing of. Most libraries drop them without a word, so only what a
 * checked value has lost is looked at; and what a schema may have dropped for its own reasons is known to it.
 */
export function unknownFields(
  schema: Schema,
  { sent, checked, source }: { sent: unknown; checked: unknown; source: DetailSource },
): ErrorDetail[] {
  if (hasAll(sent, checked)) return []
  const known = describe(schema)
  return known === null ? [] : strangersIn(sent, known, { root: known, path: [] }).map((path) => toDetail(path, source))
}

/** Is every member that was sent still there? */
function hasAll(sent: unknown, checked: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return true
  if (typeof checked !== 'object' || checked === null) return false
  for (const key of Object.keys(sent)) {
    if (!Object.hasOwn(checked, key)) return false
    const inner = (sent as Fields)[key]
    if (typeof inner === 'object' && inner !== null && !hasAll(inner, (checked as Fields)[key])) return false
  }
  return true
}

const described = new WeakMap<Schema, JsonSchema | null>()

function describe(schema: Schema): JsonSchema | null {
  let known = described.get(schema)
  if (known === undefined) described.set(schema, (known = toJsonSchema(schema, 'input')))
  return known
}

interface Place {
  readonly root: JsonSchema
  readonly path: readonly string[]
}

/** The paths of members that a closed object does not name. A schema of several parts is left to itself. */
function strangersIn(value: unknown, schema: unknown, place: Place): string[][] {
  const known = onlyObject(resolve(schema, place.root), place.root)
  if (typeof value !== 'object' || value === null || known === null) return []
  if (Array.isArray(value)) return value.flatMap((one, at) => strangersIn(one, known['items'], deeper(place, `${at}`)))
  const properties = known['properties']
  if (!isFields(properties) || OPEN.some((keyword) => keyword in known && known[keyword] !== false)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    Object.hasOwn(properties, key) ? strangersIn(inner, properties[key], deeper(place, key)) : [[...place.path, key]],
  )
}

/** Of an object or null, the object. */
function onlyObject(schema: Fields | null, root: JsonSchema): Fields | null {
  const choices = schema?.['anyOf'] ?? schema?.['oneOf']
  if (!Array.isArray(choices)) return schema
  const others = choices.map((choice) => resolve(choice, root)).filter((choice) => choice?.['type'] !== 'null')
  return others.length === 1 ? (others[0] ?? null) : schema
}

/** With any of these, an object may have members that `properties` does not name. */
const OPEN = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', 'anyOf', 'oneOf', 'allOf']

/** A schema, or the one in the same document that it refers to. */
function resolve(schema: unknown, root: JsonSchema): Fields | null {
  if (!isFields(schema)) return null
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const keys = reference === '#' ? [] : reference.replace(/^#\//, '').split('/')
  const found = keys.reduce<unknown>((inner, key) => (isFields(inner) ? inner[unescape(key)] : null), root)
  return isFields(found) && !('$ref' in found) ? found : null
}

function unescape(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}

function deeper({ root, path }: Place, key: string): Place {
  return { root, path: [...path, key] }
}

function toDetail(path: readonly string[], source: DetailSource): ErrorDetail {
  if (source === 'body')
    return { code: 'UNKNOWN_FIELD', message: 'is not a known field', source, pointer: toPointer(path) }
  return { code: 'UNKNOWN_PARAMETER', message: 'is not a known parameter', source, name: path.join('.') }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
