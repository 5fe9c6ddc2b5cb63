import type { OpenApiDocument, OpenApiSource } from './document.ts'

/** Options for `openapi`. */
export type OpenApiOptions = Partial<Pick<OpenApiSource, 'title' | 'version' | 'description' | 'major'>>

/** The information that an app provides for its document. */
export type OpenApiInfo = Pick<OpenApiSource, 'endpoints' | 'hasAuth' | 'hasEnvelope' | 'limits'>

/**
 * Creates the OpenAPI 3.1 document for an app, as served at `/api/v1/openapi.json`.
 * @example await writeFile('openapi.json', JSON.stringify(await openapi(app, { title: 'Tasks' })))
 */
export async function openapi(
  app: { readonly '~openapi': OpenApiInfo },
  options: OpenApiOptions = {},
): Promise<OpenApiDocument> {
  // Loaded lazily, because most processes never need it.
  const { toDocument } = await import('./document.ts')
  return toDocument({ major: 1, ...options, ...app['~openapi'] })
}
