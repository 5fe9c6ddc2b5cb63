import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import { capitalize } from './resource-noun.ts'
import type { SchemaOptions } from './schema-registry.ts'
import { RESPONSE_CONTEXT, toWireSchema, type SchemaContext } from '../schema/wire-schema.ts'

/** What a definition has a schema for. */
export type SchemaRole = 'params' | 'query' | 'input' | 'output'

/** The schemas of one endpoint, as they stand in the document. */
export interface EndpointSchemas {
  has(role: SchemaRole): boolean
  /** The schema; `otherwise` where there is none, or where its library cannot say it. */
  of(role: SchemaRole, otherwise: JsonSchema): JsonSchema
}

/** Reads the schemas of a definition; `name` begins the names of those that go on the shelf. */
export function createEndpointSchemas(
  definition: EndpointInfo['definition'],
  name: string,
  { registry, limits }: SchemaOptions,
): EndpointSchemas {
  const url: SchemaContext = { side: 'request', size: limits.target }
  const body: SchemaContext = { side: 'request', size: limits.body }
  const contexts = { params: url, query: url, input: body, output: RESPONSE_CONTEXT }
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
