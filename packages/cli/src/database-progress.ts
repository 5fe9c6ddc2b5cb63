import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Log } from '@sdk/server'

/** Where `@sdk/database` says what it is doing; the project opens it, so there is nobody else to ask. */
const CHANNEL = 'sdk:database:progress'

/** Tells what the embedded database is doing, since to open it may take seconds; returns the way to stop. */
export function tellDatabaseProgress(log: Log): () => void {
  const tell = (message: unknown): void => {
    const { state, text } = message as { state: string; text: string }
    if (state === 'opening' || state === 'open') log.info(text)
    else log.warn(text)
  }
  subscribe(CHANNEL, tell)
  return () => unsubscribe(CHANNEL, tell)
}
