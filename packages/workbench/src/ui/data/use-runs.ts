import { useAPI } from '@sdk/react'
import { useEffect, useRef } from 'react'
import type { RunFilter, RunList } from '../../api.ts'
import type { Run } from '../../run.ts'
import { useEvents } from './use-events.ts'

/**
 * The time in ms during which all events are combined into a single fetch, so that the page does not fetch constantly.
 */
const REFETCH_DEBOUNCE_MS = 150

/** The interval at which a run in progress is polled, in ms. It is long because the run can be large. */
const PROGRESS_MS = 1000

/** Returns the newest runs that match a filter and keeps them up to date. Returns undefined until they are loaded. */
export function useRuns(filter: RunFilter = {}): RunList | undefined {
  const list = useAPI('GET /_workbench/api/runs', {
    query: filter,
    keepPreviousData: true,
  })
  const again = useDebounced(useRefetch(list))
  useEvents('run', again)
  useEvents('cleared', again)
  return list.data
}

/** Returns a recorded run, or undefined until it is loaded. A run in progress is fetched repeatedly. */
export function useRun(id: string | null): { run: Run | undefined; isMissing: boolean } {
  const result = useAPI('GET /_workbench/api/runs/:id', {
    params: { id: id ?? '' },
    enabled: id !== null,
    keepPreviousData: false,
  })
  const refetch = useRefetch(result)
  const goOn = useDebounced(refetch, PROGRESS_MS)
  useEvents('run', ({ id: changed, state }) => {
    if (changed !== id) return
    if (state === 'running') goOn()
    else refetch()
  })
  return { run: result.data, isMissing: result.error?.status === 404 }
}

/** Returns the run for a request that this page sent, by its request id, or undefined until it is recorded. */
export function useRunOf(requestId: string | null): Run | undefined {
  const list = useAPI('GET /_workbench/api/runs', {
    query: { requestId: requestId ?? '', limit: 1 },
    enabled: requestId !== null,
  })
  const id = list.data?.runs[0]?.id ?? null
  const refetch = useRefetch(list)
  useEvents('run', (run) => {
    if (run.requestId === requestId && id === null) refetch()
  })
  return useRun(requestId === null ? null : id).run
}

/**
 * Returns a function that fetches again. If a fetch is in progress, whose response may already be outdated, it fetches
 * once more afterwards: by itself, a first fetch is not repeated.
 */
function useRefetch({ isFetching, refetch }: { isFetching: boolean; refetch: () => Promise<unknown> }): () => void {
  const isOutdated = useRef(false)
  useEffect(() => {
    if (isFetching || !isOutdated.current) return
    isOutdated.current = false
    void refetch()
  }, [isFetching, refetch])
  return () => {
    if (isFetching) isOutdated.current = true
    else void refetch()
  }
}

function useDebounced(work: () => void, ms: number = REFETCH_DEBOUNCE_MS): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  // An unmounted component must not fetch.
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    },
    [],
  )
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      work()
    }, ms)
  }
}
