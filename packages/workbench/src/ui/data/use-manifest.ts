import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useEvents, useIsConnected } from './use-events.ts'

/** The polling interval of the manifest without an event stream. */
const POLL_MS = 3000

/** The manifest, or the error of the last attempt to read it. */
export interface ManifestResult {
  readonly manifest: Manifest | undefined
  readonly error: ApiError | null
}

/** Returns the current manifest, and the error if it could not be read. */
export function useManifestResult(): ManifestResult {
  const isConnected = useIsConnected()
  const { data, error, refetch } = useAPI('GET /_workbench/api/manifest', {
    staleTime: 60_000,
    // The event stream does not report why it failed; this response does.
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

/** Returns whether a server that just started has no routes yet. Open pages and the user's input are kept. */
function isFirstLoad(manifest: Manifest | undefined): boolean {
  return manifest !== undefined && manifest.isReloading && manifest.routes.length + manifest.problems.length === 0
}

/** Returns the current manifest; undefined until it is loaded. */
export function useManifest(): Manifest | undefined {
  return useManifestResult().manifest
}
