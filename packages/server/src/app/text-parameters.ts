import type { Schema } from '@sdk/protocol'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import { inputSchemaOf } from '../schema/alternatives.ts'
import { isRecord } from '../schema/json-schema.ts'

/** Values of each type, which a schema for this type probably accepts. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  number: [1],
  integer: [1],
  boolean: [true, false],
  array: [[], ['a'], [1]],
}

/** The keywords with further values that a schema may accept. */
const EXAMPLES = ['const', 'enum', 'minimum', 'maximum', 'multipleOf', 'default']

/**
 * Lists the parameters that reject every request, such as `GET /api/tasks query.page`: path and query parameters are
 * texts, and their schemas accept only another type and do not convert texts.
 */
export function listTextParameters(endpoints: readonly PublicEndpoint[]): string[] {
  return endpoints.flatMap(({ route, definition, resource }) => {
    if (resource !== undefined) return []
    const { params, query } = definition as { params?: Schema; query?: Schema }
    const places = [
      ...rejected(params).map((name) => `params.${name}`),
      ...rejected(query).map((name) => `query.${name}`),
    ]
    return places.map((place) => `${route} ${place}`)
  })
}

/** Returns the names of the members that accept a value of their type, but none of the values as a text. */
function rejected(schema: Schema | undefined): string[] {
  const properties = schema === undefined ? undefined : inputSchemaOf(schema)?.['properties']
  if (schema === undefined || !isRecord(properties)) return []
  return Object.entries(properties).flatMap(([name, member]) => {
    const values = isRecord(member) ? valuesFor(member) : []
    const isAccepted = values.some((value) => !rejects(schema, name, value))
    return isAccepted && values.every((value) => rejects(schema, name, String(value))) ? [name] : []
  })
}

function valuesFor(member: Readonly<Record<string, unknown>>): unknown[] {
  const { type } = member
  const common = typeof type === 'string' ? VALUES[type] : undefined
  return common === undefined ? [] : [...common, ...EXAMPLES.flatMap((keyword) => member[keyword] ?? [])]
}

/** Returns whether a schema rejects a member. A schema that throws or validates asynchronously is assumed not to. */
function rejects(schema: Schema, name: string, value: unknown): boolean {
  try {
    const result = schema['~standard'].validate({ [name]: value })
    if (!(result instanceof Promise))
      return result.issues?.some(({ path: [first] = [] }) => memberNameOf(first) === name) ?? false
    result.catch(() => {})
  } catch {
    // a check of the app that reads a missing member
  }
  return false
}

function memberNameOf(part: PropertyKey | { readonly key: PropertyKey } | undefined): PropertyKey | undefined {
  return typeof part === 'object' ? part.key : part
}
