import type { ApiError } from '@sdk/protocol'
import { useAPI } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useEvents, useIsConnected } from './use-events.ts'

/** How often the manifest is read while there is no event stream. */
const POLL_MS = 3000

/** The manifest, or why there is none. */
export interface ManifestResult {
  readonly manifest: Manifest | undefined
  readonly error: ApiError | null
}

/** The manifest, kept up to date, and why it could not be read. */
export function useManifestResult(): ManifestResult {
  const isConnected = useIsConnected()
  const { data, error, refetch } = useAPI('GET /_workbench/api/manifest', {
    staleTime: 60_000,
    // The event stream does not tell why it broke; this answer does.
    refetchInterval: isConnected ? undefined : POLL_MS,
  })
  useEvents('manifest', () => void refetch())
  useEffect(() => {
    // Something may have changed while there was no event stream.
    if (isConnected) void refetch()
    // oxlint-disable-next-line react/exhaustive-deps -- only when the connection comes
  }, [isConnected])
  const [shown, setShown] = useState(data)
  if (data !== shown && !isFirstLoad(data)) setShown(data)
  return { manifest: shown, error }
}

/** Does a server that has just started not know its routes yet? Pages of the one before stay, with what was typed. */
function isFirstLoad(manifest: Manifest | undefined): boolean {
  return manifest !== undefined && manifest.isReloading && manifest.routes.length + manifest.problems.length === 0
}

/** The manifest, kept up to date; undefined until it is known. */
export function useManifest(): Manifest | undefined {
  return useManifestResult().manifest
}
