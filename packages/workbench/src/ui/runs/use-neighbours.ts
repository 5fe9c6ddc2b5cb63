import { useAPI } from '@sdk/react'
import type { AddressFilter } from './filter-address.ts'

/** The runs beside one, in the list that it was opened from; null where there is none. */
export interface Neighbours {
  readonly newer: string | null
  readonly older: string | null
}

/** Finds the runs beside one. The list is read once, so that the keys lead back to the same run. */
export function useNeighbours(id: string, filter: AddressFilter): Neighbours {
  const { data } = useAPI('GET /_workbench/api/runs', { query: { ...filter, limit: 500 }, staleTime: 60_000 })
  const ids = data?.runs.map((run) => run.id) ?? []
  const index = ids.indexOf(id)
  if (index === -1) return { newer: null, older: null }
  return { newer: ids[index - 1] ?? null, older: ids[index + 1] ?? null }
}
