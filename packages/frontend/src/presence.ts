import type { ApiError } from '@sdk/protocol'
import type { Lines } from './lines.ts'
import type { PageEvents } from './page-events.ts'
import type { Retry } from './retry.ts'

/** Where a socket stands. `closed` and `failed` are ends, the second one with an error. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed' | 'failed'

/** Options of `createPresence`. */
export interface PresenceOptions {
  page: PageEvents
  lines: Lines
  retry: Retry
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** Whether the page is online, as far as we know. */
export interface Presence {
  /** A connection works, whatever the page says. */
  works(): void
  /** Tells that there is no connection, if there is none. */
  lost(error?: ApiError): void
  stop(): void
}

/** Looks after connections when the page wakes up, and lets them rest while it is offline. */
export function createPresence({ page, lines, retry, onStatus }: PresenceOptions): Presence {
  let isOffline = false
  const stop = page((event) => (event === 'wake' ? wake() : rest()))

  return {
    stop,
    works() {
      if (isOffline) wake()
    },
    lost(error) {
      if (!lines.current()) onStatus(isOffline ? 'offline' : 'reconnecting', error)
    },
  }

  function wake(): void {
    const connection = lines.current()
    if (isOffline) onStatus(connection ? 'open' : 'reconnecting')
    isOffline = false
    if (connection) connection.probe()
    else if (!lines.isOpening()) retry.hurry()
  }

  function rest(): void {
    isOffline = true
    retry.rest()
    lines.leave(false)
    lines.current()?.rest()
    onStatus('offline')
  }
}
