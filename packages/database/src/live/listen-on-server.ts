import type { ClientConfig } from 'pg'
import { openNotificationListener } from '../engine/notification-listener.ts'
import type { ListenForChanges } from './change-feed.ts'
import { LIVE_CHANNEL } from './live-triggers.ts'

/** Listens on a separate connection to a server. It must be a direct one, since poolers do not support `LISTEN`. */
export function listenOnServer(connection: ClientConfig): ListenForChanges {
  return ({ connected, onNotification }) =>
    openNotificationListener({
      url: connection,
      channel: LIVE_CHANNEL,
      name: 'sdk-live',
      timeout: 5_000,
      prepare: () => Promise.resolve(),
      connected,
      disconnected: () => {},
      onNotification,
    })
}
