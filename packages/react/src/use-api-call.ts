import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createApiCall, IDLE, type ApiCall, type CallState } from './api-call.ts'
import type { CallSettings } from './call-run.ts'
import type { Caller } from './caller.ts'

/** The calls of this component on a route that is not fetched by itself. */
export function useApiCall(
  { route, identity }: Caller<CallSettings>,
  latest: () => Caller<CallSettings>,
): Omit<CallState, 'owner'> & Pick<ApiCall, 'invoke' | 'cancel' | 'reset'> {
  const call = useMemo(() => createApiCall(() => ({ ...latest(), route })), [latest, route])
  const { subscribe, get, invoke, cancel, reset } = call
  const { owner, ...state } = useSyncExternalStore(subscribe, get, get)
  // What one user got is not shown to the next; what nobody got is.
  const isOthers = typeof owner === 'string' && owner !== identity
  useEffect(() => {
    if (isOthers) reset()
  }, [isOthers, reset])
  return { ...(isOthers ? IDLE : state), invoke, cancel, reset }
}
