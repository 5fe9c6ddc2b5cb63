import { useAPI } from '@sdk/react'
import type { Manifest } from '../../manifest.ts'
import { useEvents } from './use-events.ts'

/** What the project consists of, kept current; undefined until it is known. */
export function useManifest(): Manifest | undefined {
  const { data, refetch } = useAPI('GET /_workbench/api/manifest', { staleTime: 60_000 })
  useEvents('manifest', () => void refetch())
  return data
}
