import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import { NO_LIMITS, REQUEST_LIMITS } from '../http/request-limits.ts'
import { documentedEndpoints, toDocument } from '../openapi/document.ts'
import type { EndpointInfo } from '../openapi/endpoint-info.ts'
import { toOperationIds } from '../openapi/operation-id.ts'
import type { Operation } from '../openapi/operation.ts'
import type { Parameter } from '../openapi/parameters.ts'
import { isRecord, type JsonSchema } from '../schema/json-schema.ts'

/** A route as a tool, before it has a caller. */
export interface ToolDescription {
  /** The OpenAPI operation id. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | null
  readonly isStream: boolean
  /** The names of the path parameters. */
  readonly params: ReadonlySet<string>
  /** The names of the query parameters. */
  readonly query: ReadonlySet<string>
  /** How the input contains the body: as members of the input, as the member `input`, or not at all. */
  readonly body: 'members' | 'input' | 'none'
}

/** Describes a route as a tool. Throws a `TypeError` if it cannot be one. */
export function describeTool(endpoint: PublicEndpoint, all: readonly PublicEndpoint[]): ToolDescription {
  const { route, path, resource } = endpoint
  if (path.endsWith('*')) throw notTool(route, 'its path is a wildcard')
  const isChange = resource !== undefined && ['replace', 'update', 'delete'].includes(resource.action)
  if (isChange && resource.resource.definition.ifMatch === 'required')
    throw notTool(route, 'it requires If-Match: write a tool that calls it with the headers option of ctx.call')
  const major = Number(/^\/api\/v(\d+)(?:\/|$)/.exec(path)?.[1] ?? 1)
  // Without limits, the schemas contain only limits that the route declares.
  const limits = { ...REQUEST_LIMITS, ...NO_LIMITS }
  const { paths, components } = toDocument({ major, endpoints: [endpoint], limits })
  const operation = Object.values(Object.values(paths)[0] ?? {})[0]
  if (operation === undefined) throw notTool(route, 'it is not in the OpenAPI document')
  const ids = toOperationIds(documentedEndpoints(all, major))
  const withRefs = (schema: JsonSchema): JsonSchema => includeRefs(schema, components.schemas)
  const { schema, ...layout } = toInput(endpoint, operation, components.schemas)
  return {
    name: ids.get(endpoint) ?? operation.operationId,
    description: operation.description ?? route,
    inputSchema: withRefs(schema),
    ...toOutput(operation, withRefs),
    ...layout,
  }
}

type ToolLayout = Pick<ToolDescription, 'params' | 'query' | 'body'>

function toInput(
  { route, resource }: EndpointInfo,
  { parameters = [], requestBody }: Operation,
  schemas: Readonly<Record<string, JsonSchema>>,
): ToolLayout & { readonly schema: JsonSchema } {
  const known = parameters.filter((one): one is Parameter => 'in' in one && one.in !== 'header')
  const named = (place: Parameter['in']): string[] => known.filter((one) => one.in === place).map(({ name }) => name)
  const [params, query] = [named('path'), named('query')]
  // The key of a row is in the path, and system fields cannot be changed.
  const dropped = resource === undefined ? [] : [...params, 'id', 'createdAt', 'updatedAt']
  const body = toBody(route, requestBody, { schemas, dropped })
  const members = Object.keys(body.properties)
  for (const name of new Set([...params, ...query, ...members])) {
    const places = [params.includes(name) && 'path', query.includes(name) && 'query', members.includes(name) && 'body']
    const found = places.filter((place) => place !== false)
    if (found.length > 1) throw notTool(route, `${JSON.stringify(name)} is in its ${found.join(' and ')}: rename one`)
  }
  const own = known.map(({ name, description, schema }) => [name, description ? { description, ...schema } : schema])
  const required = [...known.filter((one) => one.required).map(({ name }) => name), ...body.required]
  const schema = {
    type: 'object',
    properties: { ...(Object.fromEntries(own) as JsonSchema), ...body.properties },
    ...(required.length > 0 && { required }),
    additionalProperties: body.additional,
  }
  return { params: new Set(params), query: new Set(query), body: body.layout, schema }
}

interface ToolBody {
  readonly layout: ToolLayout['body']
  readonly properties: JsonSchema
  readonly required: readonly string[]
  readonly additional: unknown
}

/** Returns the members of a body. A body that is not a plain object becomes the member `input`. */
function toBody(
  route: string,
  requestBody: Operation['requestBody'],
  { schemas, dropped }: { schemas: Readonly<Record<string, JsonSchema>>; dropped: readonly string[] },
): ToolBody {
  if (requestBody === undefined) return { layout: 'none', properties: {}, required: [], additional: false }
  const schema = requestBody.content['application/json']?.schema
  if (schema === undefined) throw notTool(route, 'its body is not JSON')
  const whole = resolveRef(schema, schemas)
  const { properties, required, additionalProperties: additional = false } = whole
  if (!isRecord(properties) || ['anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in whole))
    return {
      layout: 'input',
      properties: { input: whole },
      required: requestBody.required ? ['input'] : [],
      additional: false,
    }
  const isKept = (name: string): boolean => !dropped.includes(name)
  return {
    layout: 'members',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
    required: Array.isArray(required) ? (required as string[]).filter(isKept) : [],
    additional,
  }
}

function toOutput(
  { responses }: Operation,
  withRefs: (schema: JsonSchema) => JsonSchema,
): Pick<ToolDescription, 'outputSchema' | 'isStream'> {
  const [status = '200'] = Object.keys(responses)
  const response = responses[status]
  const content = response !== undefined && 'content' in response ? (response.content ?? {}) : {}
  const stream = content['application/x-ndjson']?.schema
  const isStream = stream !== undefined
  const schema = isStream ? chunkSchemaOf(stream) : (content['application/json']?.schema ?? {})
  return { isStream, outputSchema: Object.keys(schema).length === 0 ? null : withRefs(schema) }
}

/** Returns the schema of a chunk. In the OpenAPI document, a stream is an array of chunks or errors. */
function chunkSchemaOf({ items }: JsonSchema): JsonSchema {
  const [chunk] = isRecord(items) && Array.isArray(items['anyOf']) ? (items['anyOf'] as unknown[]) : []
  return isRecord(chunk) ? chunk : {}
}

const REF = '#/components/schemas/'

function resolveRef(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const reference = schema['$ref']
  return typeof reference === 'string' ? (schemas[reference.slice(REF.length)] ?? {}) : schema
}

/** Returns a schema that contains the schemas it refers to. */
function includeRefs(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const root = resolveRef(schema, schemas)
  const found = new Map<string, JsonSchema>()
  const collect = (part: JsonSchema): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const target = schemas[name]
      if (target === undefined || found.has(name)) continue
      found.set(name, target)
      collect(target)
    }
  }
  collect(root)
  const whole = found.size === 0 ? root : { ...root, $defs: Object.fromEntries(found) }
  return JSON.parse(JSON.stringify(whole).replaceAll(`"${REF}`, '"#/$defs/')) as JsonSchema
}

function notTool(route: string, reason: string): TypeError {
  return new TypeError(`${route} cannot be a tool: ${reason}`)
}
