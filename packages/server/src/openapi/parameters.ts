import { paramNames } from '@sdk/protocol'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'
import type { EndpointSchemas } from './endpoint-schemas.ts'
import type { PathTemplate } from './path-templates.ts'

/** A parameter in the path, query or headers of a request. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly style?: 'form'
  /** Whether a list is sent as `a=1&a=2` instead of `a=1,2`. */
  readonly explode?: boolean
  readonly schema: JsonSchema
}

/** Returns the path parameters, with the names used in the template. */
export function pathParameters(path: string, template: PathTemplate, schemas: EndpointSchemas): Parameter[] {
  const names = paramNames(path)
  const segments = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, SEGMENT])) }
  const known = new Map(propertyEntries(schemas.of('params', segments)))
  return names.map((name, index) =>
    toParameter({ name: template.names[index] ?? name, in: 'path', required: true }, known.get(name) ?? {}),
  )
}

/** Returns the query parameters, or an empty array if there is no query schema. */
export function queryParameters(schemas: EndpointSchemas): Parameter[] {
  if (!schemas.has('query')) return []
  const schema = schemas.of('query', ANY_QUERY)
  const known = propertyEntries(schema)
  // OpenAPI serializes an object in the query as one parameter per member, so this allows any query parameter.
  if (known.length === 0) return [{ name: 'query', in: 'query', required: false, schema }]
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return known.map(([name, property]) =>
    toParameter({ name, in: 'query', required: required.includes(name) }, property),
  )
}

const SEGMENT: JsonSchema = { type: 'string', minLength: 1 }
const ANY_QUERY: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } }

function toParameter(head: Omit<Parameter, 'schema'>, property: JsonSchema): Parameter {
  const { description, ...schema } = property
  return { ...head, ...(typeof description === 'string' && { description }), schema }
}

function propertyEntries({ properties }: JsonSchema): [string, JsonSchema][] {
  const entries = isRecord(properties) ? Object.entries(properties) : []
  return entries.map(([name, property]) => [name, isRecord(property) ? property : {}])
}
