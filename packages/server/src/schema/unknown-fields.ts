import { MAX_DETAILS, toPointer, type DetailSource, type ErrorDetail, type Schema } from '@sdk/protocol'
import { alternativesOf, inputSchemaOf, mayBe, memberSchemasOf } from './alternatives.ts'
import { isRecord, type JsonSchema } from './json-schema.ts'

/**
 * Returns an error detail for each member of a value that its schema does not declare. Most libraries drop such members
 * silently, so no search is needed if the validated value still has all members. Otherwise, the JSON Schema shows which
 * members are known.
 */
export function unknownFields(
  schema: Schema,
  { sent, checked, source }: { sent: unknown; checked: unknown; source: DetailSource },
): ErrorDetail[] {
  // Arktype keeps unknown members.
  if (schema['~standard'].vendor !== 'arktype' && hasAll(sent, checked)) return []
  const known = inputSchemaOf(schema)
  if (known === null) return []
  const search: Search = { root: known, path: [], found: [] }
  collectUnknown(sent, [known], search)
  const names = isRecord(known['properties']) ? Object.keys(known['properties']) : []
  return search.found.map((path) => toUnknownDetail(path, source, names))
}

function hasAll(sent: unknown, checked: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return true
  if (typeof checked !== 'object' || checked === null) return false
  if (Array.isArray(sent))
    return (
      Array.isArray(checked) &&
      sent.length <= checked.length &&
      sent.every((inner, at) => hasAll(inner, (checked as unknown[])[at]))
    )
  for (const key of Object.keys(sent)) {
    if (!Object.hasOwn(checked, key)) return false
    const inner = (sent as JsonSchema)[key]
    if (typeof inner === 'object' && inner !== null && !hasAll(inner, (checked as JsonSchema)[key])) return false
  }
  return true
}

interface Search {
  readonly root: JsonSchema
  readonly path: string[]
  /** The paths of unknown members, up to the number that a response reports. */
  readonly found: string[][]
}

/** Collects members that none of these schemas declares. An open or empty schema allows all members. */
function collectUnknown(value: unknown, schemas: readonly unknown[], search: Search): void {
  if (typeof value !== 'object' || value === null || search.found.length >= MAX_DETAILS) return
  const isList = Array.isArray(value)
  const parts = schemas.flatMap((schema) => alternativesOf(schema, search.root))
  // A set, because the number of mutually recursive alternatives would otherwise double at every level.
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

function allowsAnyMember(schema: JsonSchema): boolean {
  return (
    (!isRecord(schema['properties']) && !isRecord(schema['additionalProperties'])) ||
    schema['additionalProperties'] === true ||
    ['patternProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema && schema[keyword] !== false)
  )
}

function toUnknownDetail(path: readonly string[], source: DetailSource, names: readonly string[]): ErrorDetail {
  if (source === 'body')
    return { code: 'UNKNOWN_FIELD', message: 'is not a known field', source, pointer: toPointer(path) }
  return { ...unknownParameter(path.join('.'), names), source }
}

/** Returns the error detail for a parameter that a route does not accept. */
export function unknownParameter(name: string, known: readonly string[]): ErrorDetail {
  const takes = known.length === 0 ? 'the route accepts none' : `the route accepts ${known.join(', ')}`
  return { code: 'UNKNOWN_PARAMETER', message: `is not a known parameter: ${takes}`, source: 'query', name }
}
