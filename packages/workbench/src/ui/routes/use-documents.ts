import { useSdk } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { majorsOf } from './route-groups.ts'

/**
 * Returns the app's OpenAPI documents, one per version, or undefined until they are loaded. They are loaded again
 * whenever the code is reloaded.
 */
export function useDocuments(manifest: Manifest | undefined): readonly OpenApiDocument[] | undefined {
  const { client } = useSdk()
  const [documents, setDocuments] = useState<readonly OpenApiDocument[]>()
  // New code can have new documents.
  const key = manifest === undefined ? null : `${majorsOf(manifest.routes).join()}@${manifest.revision}`
  useEffect(() => {
    if (key === null) return undefined
    const control = new AbortController()
    const read = (major: string): Promise<OpenApiDocument | null> =>
      client
        .send(`GET /api/v${major}/openapi.json`, undefined, { signal: control.signal })
        .then((reply) => (reply.kind === 'value' ? (reply.value as OpenApiDocument) : null))
        // If there is no document, for example because the API failed to load, the routes from the manifest are shown.
        .catch(() => null)
    const [majors = ''] = key.split('@')
    void Promise.all(majors.split(',').map(read)).then((all) => {
      if (!control.signal.aborted) setDocuments(all.filter((one) => one !== null))
    })
    return () => control.abort()
  }, [client, key])
  return documents
}
