import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useEffect } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useEvents, useIsConnected } from './use-events.ts'

/** How often it is asked for while the server does not tell of changes. */
const LOST_MS = 3000

/** The manifest, or why there is none. */
export interface ManifestAnswer {
  readonly manifest: Manifest | undefined
  readonly error: ApiError | null
}

/** What the project consists of, kept current, and why it is not known. */
export function useManifestAnswer(): ManifestAnswer {
  const isConnected = useIsConnected()
  const { data, error, refetch } = useAPI('GET /_workbench/api/manifest', {
    staleTime: 60_000,
    // The stream of events does not tell why it broke; this answer does.
    refetchInterval: isConnected ? undefined : LOST_MS,
  })
  useEvents('manifest', () => void refetch())
  useEffect(() => {
    // Whatever changed while nobody told us.
    if (isConnected) void refetch()
    // oxlint-disable-next-line react/exhaustive-deps -- only when the connection comes
  }, [isConnected])
  return { manifest: data, error }
}

/** What the project consists of, kept current; undefined until it is known. */
export function useManifest(): Manifest | undefined {
  return useManifestAnswer().manifest
}
