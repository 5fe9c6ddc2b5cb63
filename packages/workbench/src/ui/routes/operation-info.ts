import { paramNames } from '@sdk/protocol'
import type { JsonSchema } from '../input/input-editor.tsx'
import { resolveRef, toStandalone, type Content, type OpenApiDocument, type Parameter } from './openapi-document.ts'
import type { RouteEntry } from './route-groups.ts'

/** A route's documentation. */
export type OperationInfo = ReturnType<typeof readOperationInfo>

const BODILESS_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** Reads a route's documentation. For a route that is not in the document, it is derived from the route's name. */
export function readOperationInfo({ method, path, operation, document }: RouteEntry) {
  const known = document ?? { paths: {} }
  const { parameters = [], responses: answers = {}, requestBody, deprecated = false, security } = operation ?? {}
  const named = paramNames(path).map((name): Parameter => ({ name, in: 'path', required: true }))
  const found = parameters.flatMap((part) => resolveRef<Parameter>(known, part) ?? [])
  const of = (place: Parameter['in']): Parameter[] => found.filter((parameter) => parameter.in === place)
  const responses = Object.entries(answers).map(([status, part]) => {
    const { description = '', content, headers = {} } = resolveRef(known, part) ?? {}
    return { status, description, schema: schemaOf(known, content), headers: Object.keys(headers) }
  })
  const ways = security ?? known.security ?? []
  const isOptional = ways.some((way) => Object.keys(way).length === 0)
  /** Whether authentication is required. Null if the app has no sign-in or the document does not specify it. */
  const auth: 'required' | 'optional' | null = ways.length === 0 ? null : isOptional ? 'optional' : 'required'
  return {
    isDocumented: operation !== null,
    isDeprecated: deprecated,
    path: named.map((own) => of('path').find(({ name }) => name === own.name) ?? own),
    query: of('query'),
    headers: of('header'),
    hasBody: !BODILESS_METHODS.has(method),
    body: schemaOf(known, requestBody?.content),
    responses,
    auth,
    isLimited: responses.some(({ headers }) => headers.includes('RateLimit-Policy')),
  }
}

/** Returns the schema for a JSON body, or null if there is none. */
function schemaOf(document: OpenApiDocument, content: Content | undefined): JsonSchema | null {
  const schema = content?.['application/json']?.schema
  return schema === undefined || Object.keys(schema).length === 0 ? null : toStandalone(document, schema)
}
