import type { AuthRouteInfo } from '@sdk/server'
import type { BetterAuth } from './better-auth.ts'

/** The metadata of a Better Auth endpoint. */
interface LibraryEndpoint {
  readonly path?: string
  readonly options?: {
    readonly method?: string | readonly string[]
    readonly body?: StandardSchema
    readonly query?: StandardSchema
    readonly metadata?: { readonly SERVER_ONLY?: boolean; readonly scope?: string; readonly openapi?: OpenApiPart }
  }
}

interface OpenApiPart {
  readonly description?: string
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }
}

interface StandardSchema {
  readonly '~standard'?: { readonly jsonSchema?: { input(options: object): object } }
}

/** Lists the HTTP routes of Better Auth and its plugins, with their input schemas. */
export function listAuthRoutes({ api }: Pick<BetterAuth, 'api'>, basePath: string): AuthRouteInfo[] {
  return Object.values(api as unknown as Record<string, LibraryEndpoint>).flatMap(({ path, options = {} }) => {
    const { method = 'GET', body, query, metadata = {} } = options
    if (path === undefined || metadata.SERVER_ONLY === true || metadata.scope === 'server') return []
    const { description, requestBody } = metadata.openapi ?? {}
    const described = requestBody?.content?.['application/json']?.schema
    const info = { description, body: described ?? toJsonSchema(body), query: toJsonSchema(query) }
    return [method].flat().map((one) => ({ route: `${one} ${basePath}${path}`, ...info }))
  })
}

/** Converts a schema to JSON Schema, or returns null if its library cannot do so. */
function toJsonSchema(schema: StandardSchema | undefined): object | null {
  try {
    const options = { target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } }
    return schema?.['~standard']?.jsonSchema?.input(options) ?? null
  } catch {
    return null // the schema is only informational
  }
}
