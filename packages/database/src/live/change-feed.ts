import { AsyncResource } from 'node:async_hooks'
import { leaveTransaction } from '../joined-transaction.ts'
import { type ChangedRows, parseNotification } from './live-triggers.ts'

/** The receiver of the notifications of live tables. */
export interface ChangeListener {
  /** Called for each new connection that listens. Earlier notifications may have been lost. */
  connected(): void
  onNotification(payload: string): void
}

/** A function that listens for notifications of live tables until it is closed. Reconnects automatically. */
export type ListenForChanges = (listener: ChangeListener) => { close(): unknown }

/** The changes of the live tables in a database. */
export interface ChangeFeed {
  /** Calls `onChange` after each change of a table, until the returned function is called. */
  watch(table: string, onChange: (ids: ChangedRows['ids']) => void): () => void
  close(): Promise<void>
}

/** The feeds of databases, keyed by pool or client, for libraries that receive only these. */
export const feedsByClient: WeakMap<object, ChangeFeed> = new WeakMap()

/** Creates the feed of a pool or client. It has one listener, which is open while tables are watched. */
export function createChangeFeed(client: object, listen: ListenForChanges): ChangeFeed {
  const watchers = new Set<{ readonly table: string; onChange(ids: ChangedRows['ids']): void }>()
  let listener: ReturnType<ListenForChanges> | null = null

  // Bound, since notifications from the embedded database arrive in the context of the call that made the change.
  const announce = leaveTransaction(() =>
    AsyncResource.bind((table: string | null, ids: ChangedRows['ids']) => {
      for (const watcher of watchers) if (table === null || watcher.table === table) watcher.onChange(ids)
    }),
  )
  async function close(): Promise<void> {
    const closing = listener
    listener = null
    watchers.clear()
    await closing?.close()
  }
  const feed: ChangeFeed = {
    watch(table, onChange) {
      const watcher = { table, onChange }
      watchers.add(watcher)
      listener ??= leaveTransaction(() =>
        listen({
          connected: () => announce(null, null),
          onNotification(payload) {
            const changed = parseNotification(payload)
            announce(changed.table, changed.ids)
          },
        }),
      )
      return () => {
        if (watchers.delete(watcher) && watchers.size === 0) void close()
      }
    },
    close,
  }
  feedsByClient.set(client, feed)
  return feed
}
