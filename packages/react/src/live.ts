'use client'

import type { Query } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { CachedPages } from './pages.ts'
import {
  createQuerySubscription,
  fetchLive,
  grow,
  join,
  settle,
  show,
  syncQuery,
  type QuerySubscription,
} from './query-subscription.ts'
import type { LiveData, LiveInput, LiveSettings } from './sdk-context.ts'
import { useLatest } from './use-latest.ts'

/** Live data for `<SdkProvider live={live}>`. It is required for `live: true` in `useAPI` and `usePages`. */
export const live: LiveData = { use: useQuerySubscription, hold }

const subscriptions = new WeakMap<object, QuerySubscription>()

function useQuerySubscription<T extends LiveSettings>(
  query: object,
  input: LiveInput,
  settings: T,
): T & { isLive: boolean } {
  const shared = subscriptions.get(query) ?? createQuerySubscription(query as Query)
  subscriptions.set(query, shared)
  const isJoined = input.options.live && settings.enabled
  const pages = (shared.query.state.data as Partial<CachedPages> | undefined)?.pages?.length
  const latest = useLatest({ ...input, getNext: settings.getNextPageParam })
  useEffect(() => (isJoined ? join(shared, latest()) : undefined), [shared, isJoined, latest])
  useEffect(() => {
    if (pages) grow(shared)
  }, [shared, pages])
  const { subscribe, get } = shared.store
  const { isLive } = useSyncExternalStore(subscribe, get, get)
  const queryFn = (context: { pageParam?: unknown }): unknown =>
    fetchLive(shared, context.pageParam ?? null) ?? settings.queryFn(context as never)
  // Nothing is fetched while the data is live. `static` also applies to `invalidateQueries`.
  return { ...settings, isLive, queryFn, ...(isLive && { staleTime: 'static', refetchInterval: false }) }
}

function hold<T>(query: object, isSuccess: boolean, end: (isSuccess: boolean) => T[]): T[] | false {
  const shared = subscriptions.get(query)
  const isLive = shared?.store.get().isLive
  if (!shared || !isLive || !isSuccess) {
    const queries = end(isSuccess)
    if (isLive) show(shared)
    else if (shared) settle(shared, false)
    return queries
  }
  void syncQuery(shared).then(() => {
    shared.ends.push((isSubscribed) => {
      // Without a subscription, the change is kept until the data is fetched again.
      end(!isSubscribed)
      if (!isSubscribed) shared.query.invalidate()
    })
    show(shared)
  })
  return []
}
