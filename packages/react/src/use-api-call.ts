import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createApiCall, IDLE, type CallState, type CallWays } from './api-call.ts'
import type { CallSettings } from './call-run.ts'
import type { Caller } from './caller.ts'

/** The calls of this component on a route that is not fetched by itself. */
export function useApiCall(
  { route, identity }: Caller<CallSettings>,
  latest: () => Caller<CallSettings>,
): Omit<CallState, 'owner'> & CallWays {
  const { subscribe, get, ways } = useMemo(() => createApiCall(() => ({ ...latest(), route })), [latest, route])
  const { owner, ...state } = useSyncExternalStore(subscribe, get, get)
  // What one user got is not shown to the next. What came while nobody was signed in is.
  const isOthers = owner && owner !== identity
  useEffect(() => {
    if (isOthers) ways.reset()
  }, [isOthers, ways])
  return { ...(isOthers ? IDLE : state), ...ways }
}
