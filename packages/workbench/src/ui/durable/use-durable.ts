import { useAPI } from '@sdk/react'
import { useState } from 'react'
import type { DurableRunFilter, DurableRunList, RunInspection } from '../../api.ts'
import type { Manifest } from '../../manifest.ts'

/** The interval at which the list is fetched, in ms. */
const LIST_MS = 2000

/** The interval at which an unfinished run is fetched, in ms. */
const RUN_MS = 1000

/** Returns the newest durable runs that match a filter and keeps them up to date. */
export function useDurableRuns(filter: DurableRunFilter): DurableRunList | undefined {
  const { data } = useAPI('GET /_workbench/api/durable-runs', {
    query: filter,
    keepPreviousData: true,
    refetchInterval: LIST_MS,
  })
  return data
}

/** Returns a durable run and keeps it up to date until it ends. */
export function useDurableRun(id: string): {
  found: RunInspection | undefined
  isMissing: boolean
  refetch: () => void
} {
  const [isOver, setOver] = useState(false)
  const { data, error, refetch } = useAPI('GET /_workbench/api/durable-runs/:id', {
    params: { id },
    refetchInterval: isOver ? undefined : RUN_MS,
  })
  const isEnded = data !== undefined && data.run.endedAt !== null
  if (isEnded !== isOver) setOver(isEnded)
  return { found: data, isMissing: error?.status === 404, refetch: () => void refetch() }
}

/** Returns whether the app has a durable agent with this name. Without it, no process continues the agent's runs. */
export function isKnownAgent(manifest: Manifest | undefined, agent: string): boolean {
  return manifest === undefined || manifest.routes.some(({ route }) => route === `DELETE /agent/${agent}/runs/:run`)
}
