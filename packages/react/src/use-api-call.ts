import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createMutationStore, IDLE_STATE, type RequestState, type MutationActions } from './mutation-store.ts'
import type { MutationOptions } from './call-run.ts'
import type { RequestContext } from './send-request.ts'

/** The calls of this component on a route that is not fetched by itself. */
export function useApiMutation(
  { route, identity }: RequestContext<MutationOptions>,
  latest: () => RequestContext<MutationOptions>,
): Omit<RequestState, 'owner'> & MutationActions {
  const {
    subscribe,
    get,
    actions: ways,
  } = useMemo(() => createMutationStore(() => ({ ...latest(), route })), [latest, route])
  const { owner, ...state } = useSyncExternalStore(subscribe, get, get)
  // What one user got is not shown to the next. What came while nobody was signed in is.
  const isOthers = owner && owner !== identity
  useEffect(() => {
    if (isOthers) ways.reset()
  }, [isOthers, ways])
  return { ...(isOthers ? IDLE_STATE : state), ...ways }
}
