import { useSdk } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { majorsOf } from './route-groups.ts'

/** Returns the OpenAPI documents of the app, one for each version, after each reload; undefined until loaded. */
export function useDocuments(manifest: Manifest | undefined): readonly OpenApiDocument[] | undefined {
  const { client } = useSdk()
  const [documents, setDocuments] = useState<readonly OpenApiDocument[]>()
  // New code may have new documents.
  const key = manifest === undefined ? null : `${majorsOf(manifest.routes).join()}@${manifest.revision}`
  useEffect(() => {
    if (key === null) return undefined
    const control = new AbortController()
    const read = (major: string): Promise<OpenApiDocument | null> =>
      client
        .send(`GET /api/v${major}/openapi.json`, undefined, { signal: control.signal })
        .then((reply) => (reply.kind === 'value' ? (reply.value as OpenApiDocument) : null))
        // Without a document, such as when the API fails to load, the routes of the manifest are shown.
        .catch(() => null)
    const [majors = ''] = key.split('@')
    void Promise.all(majors.split(',').map(read)).then((all) => {
      if (!control.signal.aborted) setDocuments(all.filter((one) => one !== null))
    })
    return () => control.abort()
  }, [client, key])
  return documents
}
