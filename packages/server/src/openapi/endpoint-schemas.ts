import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import { capitalize } from './resource-noun.ts'
import type { SchemaOptions } from './schema-registry.ts'
import { toWireSchema, type SchemaContext } from '../schema/wire-schema.ts'

/** The role of a schema in a definition. */
export type SchemaRole = 'params' | 'query' | 'input' | 'output'

/** An endpoint's schemas in the document. */
export interface EndpointSchemas {
  has(role: SchemaRole): boolean
  /** Returns the schema, or `otherwise` if it is missing or its library does not support JSON Schema. */
  of(role: SchemaRole, otherwise: JsonSchema): JsonSchema
}

/** Converts a definition's schemas. `name` is the prefix for the names that they are registered under. */
export function createEndpointSchemas(
  definition: EndpointInfo['definition'],
  name: string,
  { registry, limits }: SchemaOptions,
): EndpointSchemas {
  const url: SchemaContext = { side: 'request', size: limits.target }
  const body: SchemaContext = { side: 'request', size: limits.body }
  const contexts = { params: url, query: url, input: body, output: registry.response }
  return {
    has: (role) => definition[role] !== undefined,
    of(role, otherwise) {
      const schema = definition[role]
      const known = schema === undefined ? null : toJsonSchema(schema, role === 'output' ? 'output' : 'input')
      if (known === null) return toWireSchema(otherwise, contexts[role])
      const isBody = role === 'input' || role === 'output'
      return registry[isBody ? 'put' : 'inline'](known, contexts[role], name + capitalize(role))
    },
  }
}
