import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useEvents, useIsConnected } from './use-events.ts'

/** The interval at which the manifest is polled if there is no event stream, in ms. */
const POLL_MS = 3000

/** The latest manifest, and the error if the last attempt to read it failed. */
export interface ManifestResult {
  readonly manifest: Manifest | undefined
  readonly error: ApiError | null
}

/** Returns the current manifest, and the error if it could not be read. */
export function useManifestResult(): ManifestResult {
  const isConnected = useIsConnected()
  const { data, error, refetch } = useAPI('GET /_workbench/api/manifest', {
    staleTime: 60_000,
    // The event stream does not report why it failed, but this response does.
    refetchInterval: isConnected ? undefined : POLL_MS,
  })
  useEvents('manifest', () => void refetch())
  useEffect(() => {
    // The project may have changed while there was no event stream.
    if (isConnected) void refetch()
    // oxlint-disable-next-line react/exhaustive-deps -- only when the connection opens
  }, [isConnected])
  const [shown, setShown] = useState(data)
  if (data !== shown && !isFirstLoad(data)) setShown(data)
  return { manifest: shown, error }
}

/** Returns whether the server has just started and has no routes yet. In this case, the previous manifest is kept. */
function isFirstLoad(manifest: Manifest | undefined): boolean {
  return manifest !== undefined && manifest.isReloading && manifest.routes.length + manifest.problems.length === 0
}

/** Returns the current manifest, or undefined until it is loaded. */
export function useManifest(): Manifest | undefined {
  return useManifestResult().manifest
}
