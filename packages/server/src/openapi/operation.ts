import type { Schema } from '@sdk/protocol'
import { BODILESS_METHODS } from '../http/body.ts'
import { KEYED_METHODS } from '../idempotency/idempotency-key.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import type { EndpointSchemas } from './endpoint-schemas.ts'
import { pathParameters, queryParameters, type Parameter } from './parameters.ts'
import type { PathTemplate } from './path-templates.ts'
import { toResponses } from './responses.ts'
import { type Content, type OpenApiResponse, type Ref } from './response-object.ts'

/** An operation: one method on one path. */
export interface Operation {
  readonly operationId: string
  /** The route, such as `POST /agent/summarize`. */
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, OpenApiResponse | Ref>>
}

/** The body of a request. */
export interface RequestBody {
  readonly required: boolean
  readonly content: Content
}

/** A group of operations. */
export interface Tag {
  readonly name: string
  readonly description: string
}

/** Returns the tag of an endpoint. Each resource has a separate tag. */
export function tagOf({ kind, resource }: EndpointInfo): Tag {
  if (resource === undefined) return KIND_TAGS[kind === 'agent' ? 'agent' : 'route']
  const { name, definition } = resource.resource
  return { name, description: definition.description ?? `The resource ${name}.` }
}

const KIND_TAGS: Readonly<Record<'agent' | 'route', Tag>> = {
  agent: { name: 'agents', description: 'Agents. Each responds with a value or with a stream of chunks.' },
  route: { name: 'routes', description: 'API routes.' },
}

/** Converts an endpoint to an operation. */
export function toOperation(
  endpoint: EndpointInfo,
  operationId: string,
  { template, schemas }: { template: PathTemplate; schemas: EndpointSchemas },
): Operation {
  const { route, definition } = endpoint
  const parameters = [
    ...pathParameters(endpoint.path, template, schemas),
    ...queryParameters(schemas),
    ...(KEYED_METHODS.has(endpoint.method) ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
    ...(definition.durable === undefined
      ? []
      : DURABLE_PARAMETERS.map((name) => ({ $ref: `#/components/parameters/${name}` }))),
  ]
  const requestBody = describeRequestBody(endpoint, schemas)
  return {
    operationId,
    summary: route,
    ...(definition.description !== undefined && { description: definition.description }),
    tags: [tagOf(endpoint).name],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== null && { requestBody }),
    responses: toResponses(endpoint, schemas),
  }
}

const DURABLE_PARAMETERS = ['Run-Thread', 'Prefer']

/** Returns whether a schema accepts an empty body. A schema that throws or validates asynchronously is assumed not to. */
function acceptsNothing(schema: Schema | undefined): boolean {
  try {
    const result = schema?.['~standard'].validate(undefined)
    if (!(result instanceof Promise)) return result !== undefined && result.issues === undefined
    result.catch(() => {})
  } catch {
    // a check of the app that reads a member of the value
  }
  return false
}

function describeRequestBody({ kind, method, definition }: EndpointInfo, schemas: EndpointSchemas): RequestBody | null {
  if (BODILESS_METHODS.has(method)) return null
  if (definition.raw === true) return { required: true, content: { '*/*': {} } }
  const json = { schema: schemas.of('input', {}) }
  const isChecked = schemas.has('input')
  return {
    required: isChecked && !acceptsNothing(definition.input),
    content: {
      'application/json': json,
      ...(method === 'PATCH' && { 'application/merge-patch+json': json }),
      // A route without an input schema can read any body from `ctx.request`.
      ...(kind === 'route' && !isChecked && { '*/*': {} }),
    },
  }
}
