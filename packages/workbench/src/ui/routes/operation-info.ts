import { paramNames } from '@sdk/protocol'
import type { JsonSchema } from '../input/input-editor.tsx'
import { resolveRef, toStandalone, type Content, type Parameter } from './openapi-document.ts'
import type { RouteEntry } from './route-groups.ts'

/** One of the answers that a route may give. */
export interface ResponseInfo {
  readonly status: string
  readonly description: string
  /** Null: it has no body, or the document does not tell. */
  readonly schema: JsonSchema | null
}

/** The documentation of a route. */
export interface OperationInfo {
  readonly isDocumented: boolean
  readonly isDeprecated: boolean
  readonly path: readonly Parameter[]
  readonly query: readonly Parameter[]
  readonly headers: readonly Parameter[]
  readonly hasBody: boolean
  readonly body: JsonSchema | null
  readonly responses: readonly ResponseInfo[]
  /** Null: the app has no sign-in, or the document does not tell. */
  readonly auth: 'required' | 'optional' | null
  readonly isLimited: boolean
}

const BODILESS_METHODS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

/** Reads the info of a route from the document; for a route that is not in it, only from its name. */
export function readOperationInfo({ method, path, operation, document }: RouteEntry): OperationInfo {
  const named = paramNames(path).map((name): Parameter => ({ name, in: 'path', required: true }))
  const hasBody = !BODILESS_METHODS.has(method)
  if (operation === null || document === null) return { ...UNDOCUMENTED, path: named, hasBody }
  const parameters = (operation.parameters ?? []).flatMap((part) => resolveRef<Parameter>(document, part) ?? [])
  const of = (place: Parameter['in']): Parameter[] => parameters.filter((parameter) => parameter.in === place)
  const body = jsonOf(operation.requestBody?.content)
  const responses = Object.entries(operation.responses ?? {}).map(([status, part]) => {
    const response = resolveRef(document, part)
    const schema = jsonOf(response?.content)
    return {
      status,
      description: response?.description ?? '',
      schema: schema && toStandalone(document, schema),
      headers: Object.keys(response?.headers ?? {}),
    }
  })
  const security = operation.security ?? document.security ?? []
  return {
    isDocumented: true,
    isDeprecated: operation.deprecated === true,
    path: named.map((own) => of('path').find(({ name }) => name === own.name) ?? own),
    query: of('query'),
    headers: of('header'),
    hasBody,
    body: body && toStandalone(document, body),
    responses,
    auth:
      security.length === 0 ? null : security.some((way) => Object.keys(way).length === 0) ? 'optional' : 'required',
    isLimited: responses.some(({ headers }) => headers.includes('RateLimit-Policy')),
  }
}

const UNDOCUMENTED: OperationInfo = {
  isDocumented: false,
  isDeprecated: false,
  path: [],
  query: [],
  headers: [],
  hasBody: false,
  body: null,
  responses: [],
  auth: null,
  isLimited: false,
}

/** The schema of a JSON body; null where there is none. */
function jsonOf(content: Content | undefined): JsonSchema | null {
  const schema = content?.['application/json']?.schema
  return schema === undefined || Object.keys(schema).length === 0 ? null : schema
}
