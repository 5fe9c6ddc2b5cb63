import { useEffect, useState } from 'react'
import { createApiCall, type ApiCall, type CallInput, type CallState } from './api-call.ts'
import { useSdk } from './sdk-context.ts'
import { useLatest } from './use-latest.ts'
import { useStore } from './use-store.ts'

/** The calls of this component on a route that is not fetched by itself. */
export function useApiCall(
  route: string,
  options: CallInput['options'],
): CallState & Omit<ApiCall, 'state' | 'attach'> {
  const latest = useLatest({ client: useSdk().client, route, options })
  const [call] = useState(() => createApiCall(() => latest.current))
  useEffect(() => call.attach(), [call])
  const { invoke, cancel, reset } = call
  return { ...useStore(call.state), invoke, cancel, reset }
}
