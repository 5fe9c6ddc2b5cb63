import { REQUEST_LIMITS, type RequestLimits } from '../http/request-limits.ts'
import { toComponents, type Components } from './components.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import { createEndpointSchemas } from './endpoint-schemas.ts'
import { toOperationIds } from './operation-id.ts'
import { tagOf, toOperation, type Operation, type Tag } from './operation.ts'
import { createPathTemplates } from './path-templates.ts'
import { toResourceOperation } from './resource-operation.ts'
import { createResourceSchemas } from './resource-schemas.ts'
import { SchemaRegistry, type SchemaOptions } from './schema-registry.ts'

/** The input for `toDocument`. */
export interface OpenApiSource {
  /** The title of the API. @default 'API' */
  title?: string
  /** The full version of the API. @default '{major}.0.0' */
  version?: string
  /** The description of the API. @default a generic sentence */
  description?: string
  /** The API's major version. Routes under other versions (`/api/v{other}`) are omitted. */
  major: number
  endpoints: readonly EndpointInfo[]
  /** Whether callers can sign in. @default false */
  hasAuth?: boolean
  /** Whether error responses use the error envelope. If not, their bodies are not described. @default true */
  hasEnvelope?: boolean
  /** The maximum sizes of the body and the URL. @default 1 MiB and 8 KiB */
  limits?: Required<RequestLimits>
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  /** The alternative security requirements. An empty one allows anonymous callers. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Components
  /** Wildcard routes, which OpenAPI cannot express. */
  readonly 'x-wildcard-routes'?: readonly string[]
}

/** Creates an OpenAPI document for the endpoints. */
export function toDocument(source: OpenApiSource): OpenApiDocument {
  const { title = 'API', major, version = `${major}.0.0`, hasAuth = false, hasEnvelope = true } = source
  const { description = 'Generated from the definitions of the agents, routes and resources.' } = source
  const described = documentedEndpoints(source.endpoints, major)
  const wildcards = source.endpoints.filter((one) => isOfMajor(one, major) && isWildcard(one)).map(({ route }) => route)
  const { limits = REQUEST_LIMITS } = source
  const registry = new SchemaRegistry(limits)
  const paths = toPaths(described, { registry, limits })
  return {
    openapi: '3.1.1',
    info: { title, version, description },
    servers: [{ url: '/' }],
    // Whether a route needs a user is decided in code, so every operation allows anonymous callers. An empty list means
    // that no operation needs credentials.
    security: hasAuth ? [{ bearer: [] }, { cookie: [] }, {}] : [],
    tags: Array.from(new Map(described.map(tagOf).map((tag) => [tag.name, tag])).values()),
    paths,
    components: toComponents(paths, registry.schemas, { hasAuth, hasEnvelope }),
    ...(wildcards.length > 0 && { 'x-wildcard-routes': wildcards }),
  }
}

function toPaths(endpoints: readonly EndpointInfo[], options: SchemaOptions): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {}
  const templateOf = createPathTemplates()
  const schemasOf = createResourceSchemas(options)
  for (const [endpoint, id] of toOperationIds(endpoints)) {
    const template = templateOf(endpoint.path)
    const operations = (paths[template.path] ??= {})
    const make = (): Operation => {
      if (endpoint.resource === undefined)
        return toOperation(endpoint, id, { template, schemas: createEndpointSchemas(endpoint.definition, id, options) })
      const head = { operationId: id, summary: endpoint.route }
      const schemas = schemasOf(endpoint.resource.resource)
      return toResourceOperation(endpoint.resource, head, { schemas, limits: options.limits })
    }
    // If two routes differ only in parameter names, the first one handles the requests.
    operations[endpoint.method.toLowerCase()] ??= make()
  }
  return paths
}

/** Returns the endpoints that are operations in the document of a major version. */
export function documentedEndpoints<E extends EndpointInfo>(endpoints: readonly E[], major: number): E[] {
  return endpoints.filter((endpoint) => isOfMajor(endpoint, major) && !isWildcard(endpoint))
}

function isOfMajor({ path }: EndpointInfo, major: number): boolean {
  const [, version = String(major)] = /^\/api\/v(\d+)(?:\/|$)/.exec(path) ?? []
  return version === String(major)
}

function isWildcard({ path }: EndpointInfo): boolean {
  return path.endsWith('*')
}
