import type { ResourceAction } from '../define/resource-definition.ts'
import type { ResourceFacet } from '../define/resource-facet.ts'
import { errorsOf } from './error-responses.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ResourceSchemas } from './resource-schemas.ts'
import { COMMON_HEADERS, headerRefs, type OpenApiResponse, type Ref } from './responses.ts'

/** What one of the six routes of a resource may answer. */
export function toResourceResponses(
  { resource, action, lifetime }: ResourceFacet,
  schemas: ResourceSchemas,
): Readonly<Record<string, OpenApiResponse | Ref>> {
  const { success, errors } = ACTION_RESPONSES[action]
  const end = Object.keys(lifetime?.headers ?? {}).map((name) => END_HEADERS.get(name) ?? name)
  const names = new Set([...COMMON_HEADERS, 'Cache-Control', ...success.headers, ...end])
  const isRequired = resource.definition.ifMatch === 'required'
  const isRead = action === 'list' || action === 'get'
  return {
    [success.status]: {
      description: success.description,
      headers: headerRefs(...names),
      content: { 'application/json': { schema: success.schema(schemas) } },
    },
    ...(isRead && { 304: { description: 'The state that the caller knows', headers: headerRefs(...names) } }),
    ...errorsOf(...errors.filter((status) => status !== 428 || isRequired), ...(end.includes('Sunset') ? [410] : [])),
  }
}

const END_HEADERS: ReadonlyMap<string, string> = new Map([
  ['deprecation', 'Deprecation'],
  ['sunset', 'Sunset'],
  ['link', 'Link'],
])

interface ActionResponses {
  readonly success: {
    readonly status: number
    readonly description: string
    readonly headers: readonly string[]
    readonly schema: (schemas: ResourceSchemas) => JsonSchema
  }
  readonly errors: readonly number[]
}

const COMMON_ERRORS = [400, 401, 403, 406, 429, 500] as const
const CHANGED: readonly number[] = [...COMMON_ERRORS, 404, 409, 412, 413, 415, 428]
const STATE = ['ETag', 'Last-Modified'] as const

const CHANGED_ITEM: ActionResponses['success'] = {
  status: 200,
  description: 'The item as it is now',
  headers: STATE,
  schema: ({ changed }) => changed,
}

const ACTION_RESPONSES: Readonly<Record<ResourceAction, ActionResponses>> = {
  list: {
    success: { status: 200, description: 'A page', headers: ['ETag', 'Link', 'Vary'], schema: ({ page }) => page },
    errors: COMMON_ERRORS,
  },
  create: {
    success: {
      status: 201,
      description: 'The new item',
      headers: ['Location', ...STATE, 'Idempotent-Replayed'],
      schema: ({ item }) => item,
    },
    errors: [...COMMON_ERRORS, 409, 413, 415, 422],
  },
  get: {
    success: { status: 200, description: 'The item', headers: [...STATE, 'Vary'], schema: ({ item }) => item },
    errors: [...COMMON_ERRORS, 404],
  },
  replace: { success: CHANGED_ITEM, errors: CHANGED },
  update: { success: CHANGED_ITEM, errors: CHANGED },
  delete: {
    success: { ...CHANGED_ITEM, description: 'The item as it was', headers: [] },
    errors: [...COMMON_ERRORS, 404, 409, 412, 428],
  },
}
