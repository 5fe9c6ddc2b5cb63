import type { ResourceAction } from '../define/resource-definition.ts'
import type { ResourceFacet } from '../define/resource-facet.ts'
import type { RequestLimits } from '../http/request-limits.ts'
import { listParameters } from './list-parameters.ts'
import type { Operation, RequestBody } from './operation.ts'
import type { Parameter } from './parameters.ts'
import { capitalize, toSingular, toWords } from './resource-noun.ts'
import { toResourceResponses } from './resource-responses.ts'
import { ID, type ResourceSchemas } from './resource-schemas.ts'
import type { Ref } from './response-object.ts'

/** Converts one of a resource's six routes to an operation. */
export function toResourceOperation(
  facet: ResourceFacet,
  head: Pick<Operation, 'operationId' | 'summary'>,
  { schemas, limits }: { schemas: ResourceSchemas; limits: Required<RequestLimits> },
): Operation {
  const { resource, action, lifetime } = facet
  const requestBody = toResourceRequestBody(action, schemas)
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

function descriptionOf({ resource: { name, definition }, action }: ResourceFacet): string {
  const description = capitalize(DESCRIPTIONS[action](toWords(name), toWords(toSingular(name))))
  return definition.assign === undefined ? description : description + (ASSIGNED[action] ?? '')
}

/** Notes about assigned fields, by action. The field names are known only at run time. */
const ASSIGNED: Readonly<Partial<Record<ResourceAction, string>>> = {
  create: ' Fields that the server assigns are rejected.',
  replace: ' Fields that the server assigned cannot be changed: if sent, they must have their current value.',
  update: ' Fields that the server assigned cannot be changed: if sent, they must have their current value.',
}

const DESCRIPTIONS: Readonly<Record<ResourceAction, (many: string, one: string) => string>> = {
  list: (many) => `Lists ${many}, page by page.`,
  create: (_, one) => `Creates a new ${one}.`,
  get: (_, one) => `Returns the ${one} with the given id.`,
  replace: (_, one) => `Replaces the ${one} with the given id. Fields that are not sent get their defaults.`,
  update: (_, one) => `Updates some fields of the ${one} with the given id, using a JSON merge patch (RFC 7396).`,
  delete: (_, one) => `Deletes the ${one} with the given id, and returns it.`,
}

const PATH_ID: Parameter = { name: 'id', in: 'path', required: true, schema: { ...ID, format: 'int64' } }

function parametersOf({ resource, action }: ResourceFacet, limits: Required<RequestLimits>): (Parameter | Ref)[] {
  const ifMatch = resource.definition.ifMatch === 'required' ? 'If-Match-Required' : 'If-Match'
  if (action === 'list') return [...listParameters(resource, limits), parameterRef('If-None-Match')]
  if (action === 'create') return [parameterRef('Idempotency-Key')]
  return [PATH_ID, parameterRef(action === 'get' ? 'If-None-Match' : ifMatch)]
}

function parameterRef(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` }
}

function toResourceRequestBody(action: ResourceAction, schemas: ResourceSchemas): RequestBody | null {
  if (action === 'list' || action === 'get' || action === 'delete') return null
  const json = { schema: schemas[action] }
  const patch = action === 'update' ? { 'application/merge-patch+json': json } : {}
  return { required: true, content: { ...patch, 'application/json': json } }
}
