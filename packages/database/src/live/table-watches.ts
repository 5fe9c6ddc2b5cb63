import type { Store } from '@sdk/server'
import type { Database } from '../database.ts'
import { feedsByClient } from './change-feed.ts'

/** The watchers of one table, which may begin before its database is open. */
export interface TableWatches {
  readonly watch: NonNullable<Store['watch']>
  close(): void
}

/** Creates the watchers of a table. */
export function createTableWatches(table: string, open: () => Promise<Database>): TableWatches {
  const watches = new Set<() => void>()
  return {
    watch(onChange) {
      let unwatch = (): void => {}
      const stop = (): void => {
        watches.delete(stop)
        unwatch()
      }
      watches.add(stop)
      open().then(
        ({ pool }) => {
          if (watches.has(stop)) unwatch = feedsByClient.get(pool)?.watch(table, onChange) ?? unwatch
        },
        () => {}, // the next read reports the error
      )
      return stop
    },
    close() {
      for (const stop of watches) stop()
    },
  }
}
