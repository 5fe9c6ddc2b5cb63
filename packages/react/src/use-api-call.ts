import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { createApiCall, IDLE, type ApiCall, type CallState } from './api-call.ts'
import type { CallSettings } from './call-run.ts'
import { useSdk } from './sdk-context.ts'
import { useIdentity } from './use-auth.ts'
import { useLatest } from './use-latest.ts'
import { useStore } from './use-store.ts'

/** The calls of this component on a route that is not fetched by itself. */
export function useApiCall(
  route: string,
  options: CallSettings,
): Omit<CallState, 'owner'> & Omit<ApiCall, 'state' | 'attach'> {
  const { client, queryClient } = useSdk()
  const identity = useIdentity()
  const latest = useLatest({ client, queries: queryClient as QueryClient, identity, options })
  const call = useMemo(() => createApiCall(() => ({ ...latest.current, route })), [latest, route])
  useEffect(() => call.attach(), [call])
  const { invoke, cancel, reset } = call
  const { owner, ...state } = useStore(call.state)
  // What one user got is not shown to the next; what nobody got is.
  const isOthers = typeof owner === 'string' && owner !== identity
  return { ...(isOthers ? IDLE : state), invoke, cancel, reset }
}
