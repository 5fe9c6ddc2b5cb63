import type { OpenApiDocument, OpenApiSource } from './document.ts'

/** What `openapi` takes beside the app. */
export type OpenApiOptions = Partial<Pick<OpenApiSource, 'title' | 'version' | 'description' | 'major'>>

/** What an app tells of itself. */
export type OpenApiInfo = Pick<OpenApiSource, 'endpoints' | 'hasAuth' | 'limits'>

/**
 * An app as an OpenAPI 3.1 document: what is served at `/api/v1/openapi.json`.
 * @example await writeFile('openapi.json', JSON.stringify(await openapi(app, { title: 'Tasks' })))
 */
export async function openapi(
  app: { readonly '~openapi': OpenApiInfo },
  options: OpenApiOptions = {},
): Promise<OpenApiDocument> {
  // Loaded when asked for: most processes never are.
  const { toDocument } = await import('./document.ts')
  return toDocument({ major: 1, ...options, ...app['~openapi'] })
}
