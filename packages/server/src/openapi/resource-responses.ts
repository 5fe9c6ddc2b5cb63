import type { ResourceAction } from '../define/resource-definition.ts'
import { isUpsert, type ResourceFacet } from '../define/resource-facet.ts'
import { errorsOf } from './error-responses.ts'
import { capitalize } from './resource-noun.ts'
import type { ResourceSchemas } from './resource-schemas.ts'
import { COMMON_HEADERS, headerRefs, type OpenApiResponse, type Ref } from './response-object.ts'

/** Returns the responses for one of a resource's routes. */
export function toResourceResponses(
  facet: ResourceFacet,
  schemas: ResourceSchemas,
): Readonly<Record<string, OpenApiResponse | Ref>> {
  const { resource, action, lifetime } = facet
  const { description, headers, schema, errors } = ACTION_RESPONSES[action]
  const end = Object.keys(lifetime?.headers ?? {}).map(capitalize)
  const names = new Set([...COMMON_HEADERS, 'Cache-Control', ...headers, ...end])
  const isRequired = resource.definition.ifMatch === 'required'
  const isRead = action === 'list' || action === 'get'
  const content = { 'application/json': { schema: schemas[schema] } }
  const creates = isUpsert(facet)
  return {
    [action === 'create' ? 201 : 200]: { description, headers: headerRefs(...names), content },
    ...(creates && { 201: { description: 'The new item', headers: headerRefs('Location', ...names), content } }),
    ...(isRead && { 304: { description: 'Not modified', headers: headerRefs(...names) } }),
    ...errorsOf(
      ...errors.filter((status) => (status !== 428 || isRequired) && (status !== 404 || !creates)),
      ...(end.includes('Sunset') ? [410] : []),
    ),
  }
}

interface ActionResponses {
  readonly description: string
  readonly headers: readonly string[]
  readonly schema: keyof ResourceSchemas
  readonly errors: readonly number[]
}

const COMMON_ERRORS = [400, 401, 403, 406, 429, 500] as const
const STATE = ['ETag', 'Last-Modified'] as const

const CHANGED_ITEM: ActionResponses = {
  description: 'The updated item',
  headers: [...STATE, 'Idempotent-Replayed'],
  schema: 'changed',
  errors: [...COMMON_ERRORS, 404, 409, 412, 413, 415, 422, 428],
}

const ACTION_RESPONSES: Readonly<Record<ResourceAction, ActionResponses>> = {
  list: { description: 'A page', headers: ['ETag', 'Link', 'Vary'], schema: 'page', errors: COMMON_ERRORS },
  create: {
    description: 'The new item',
    headers: ['Location', ...STATE, 'Idempotent-Replayed'],
    schema: 'item',
    errors: [...COMMON_ERRORS, 409, 413, 415, 422],
  },
  get: { description: 'The item', headers: [...STATE, 'Vary'], schema: 'expanded', errors: [...COMMON_ERRORS, 404] },
  replace: CHANGED_ITEM,
  update: CHANGED_ITEM,
  delete: {
    description: 'The deleted item',
    headers: ['Idempotent-Replayed'],
    schema: 'changed',
    errors: [...COMMON_ERRORS, 404, 409, 412, 422, 428],
  },
}
