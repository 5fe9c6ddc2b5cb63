import { useSdk } from '@sdk/react'
import { useState } from 'react'
import type { RunSummary } from '../../run.ts'
import { useEvents } from '../data/use-events.ts'
import { useRuns } from '../data/use-runs.ts'
import { toAddress, type AddressFilter } from './filter-address.ts'
import { EMPTY_FEED, withHead, withOlder, withRun } from './run-feed.ts'

const FEED_PAGE = 100

/** Returns the runs that match a filter and keeps them up to date, including older runs that were loaded. */
export function useFeed(filter: AddressFilter) {
  const { client } = useSdk()
  const head = useRuns({ ...filter, limit: FEED_PAGE })
  const [feed, setFeed] = useState(EMPTY_FEED)
  const [isLoading, setLoading] = useState(false)
  const key = toAddress(filter).toString()
  // If the list is unchanged, it still belongs to the previous filter.
  if (head !== undefined && head !== feed.head) setFeed(withHead(feed, key, head))
  useEvents('cleared', () => setFeed(EMPTY_FEED))

  async function loadOlder(): Promise<void> {
    const before = feed.runs.at(-1)?.id
    if (before === undefined || isLoading) return
    setLoading(true)
    try {
      const list = await client.call('GET /_workbench/api/runs', { query: { ...filter, before, limit: FEED_PAGE } })
      setFeed((now) => (now.key === key ? withOlder(now, list) : now))
    } finally {
      setLoading(false)
    }
  }

  return {
    /** The runs. After the filter changes, these are still the previous runs until the new ones are loaded. */
    feed,
    isLoading,
    // A failed load can be retried, since the button is still shown.
    loadOlder: () => void loadOlder().catch(() => {}),
    take: (run: RunSummary) => setFeed((now) => withRun(now, run)),
  }
}
