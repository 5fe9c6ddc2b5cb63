import type { ResourceAction } from '../define/resource-definition.ts'
import { isUpsert, type ResourceFacet } from '../define/resource-facet.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { expandParameters } from './expand-schemas.ts'
import { keyParameters, listParameters } from './list-parameters.ts'
import type { Operation, RequestBody } from './operation.ts'
import type { Parameter } from './parameters.ts'
import { capitalize, toSingular, toWords } from './resource-noun.ts'
import { toResourceResponses } from './resource-responses.ts'
import { ID, type ResourceSchemas } from './resource-schemas.ts'
import type { Ref } from './response-object.ts'

/** Converts one of a resource's routes to an operation. */
export function toResourceOperation(
  facet: ResourceFacet,
  head: Pick<Operation, 'operationId' | 'summary'>,
  { schemas, limits }: { schemas: ResourceSchemas; limits: Required<RequestLimits> },
): Operation {
  const { resource, lifetime } = facet
  const requestBody = toResourceRequestBody(facet, schemas)
  return {
    ...head,
    description: descriptionOf(facet),
    tags: [resource.name],
    ...(lifetime !== null && { deprecated: true }),
    parameters: parametersOf(facet, limits),
    ...(requestBody !== null && { requestBody }),
    responses: toResourceResponses(facet, schemas),
  }
}

function descriptionOf(facet: ResourceFacet): string {
  const { resource, action, key } = facet
  const { name, definition } = resource
  const names = key === null ? 'id' : key.fields.map((field) => field.name).join(' and ') || 'key'
  const one = toWords(toSingular(name))
  const creates = isUpsert(facet) ? ` Creates the ${one} if it does not exist.` : ''
  const description = capitalize(DESCRIPTIONS[action](toWords(name), one, names)) + creates
  return definition.assign === undefined ? description : description + (ASSIGNED[action] ?? '')
}

/** Notes about assigned fields, by action. The field names are known only at run time. */
const ASSIGNED: Readonly<Partial<Record<ResourceAction, string>>> = {
  create: ' Fields assigned by the server cannot be sent.',
  replace: ' Fields assigned by the server cannot be changed: if sent, they must have their current values.',
  update: ' Fields assigned by the server cannot be changed: if sent, they must have their current values.',
}

const DESCRIPTIONS: Readonly<Record<ResourceAction, (many: string, one: string, key: string) => string>> = {
  list: (many) => `Lists ${many}, page by page.`,
  create: (_, one) => `Creates a new ${one}.`,
  get: (_, one, key) => `Returns the ${one} with the given ${key}.`,
  replace: (_, one, key) => `Replaces the ${one} with the given ${key}. Fields that are not sent get their defaults.`,
  update: (_, one, key) =>
    `Updates some fields of the ${one} with the given ${key}, using a JSON merge patch (RFC 7396).`,
  delete: (_, one, key) => `Deletes the ${one} with the given ${key}, and returns it.`,
}

const PATH_ID: Parameter = { name: 'id', in: 'path', required: true, schema: { ...ID, format: 'int64' } }

function parametersOf(facet: ResourceFacet, limits: Required<RequestLimits>): (Parameter | Ref)[] {
  const { resource, action, key } = facet
  if (action === 'list') return [...listParameters(resource, limits), parameterRef('If-None-Match')]
  if (action === 'create') return [parameterRef('Idempotency-Key')]
  const path = key === null ? [PATH_ID] : keyParameters(key, resource)
  const conditions = isUpsert(facet) ? ['If-Match', 'If-None-Match'] : [conditionOf(facet)]
  const expand = action === 'get' ? expandParameters(resource) : []
  const keys = action === 'get' ? [] : ['Idempotency-Key']
  return [...path, ...expand, ...[...conditions, ...keys].map(parameterRef)]
}

function conditionOf({ resource, action }: ResourceFacet): string {
  if (action === 'get') return 'If-None-Match'
  return resource.definition.ifMatch === 'required' ? 'If-Match-Required' : 'If-Match'
}

function parameterRef(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` }
}

function toResourceRequestBody(facet: ResourceFacet, schemas: ResourceSchemas): RequestBody | null {
  const { action } = facet
  if (action === 'list' || action === 'get' || action === 'delete') return null
  const json = { schema: isUpsert(facet) ? schemas.put : schemas[action] }
  const patch = action === 'update' ? { 'application/merge-patch+json': json } : {}
  return { required: true, content: { ...patch, 'application/json': json } }
}
