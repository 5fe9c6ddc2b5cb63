import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Log } from '@sdk/server'

/** Where `@sdk/database` reports what it does. It is a channel because the project opens the database, not we. */
const CHANNEL = 'sdk:database:progress'

/** Logs what the embedded database does, as opening it may take seconds. Returns a function that stops this. */
export function logDatabaseProgress(log: Log): () => void {
  const onProgress = (message: unknown): void => {
    const { state, text } = message as { state: string; text: string }
    if (state === 'opening' || state === 'open') log.info(text)
    else log.warn(text)
  }
  subscribe(CHANNEL, onProgress)
  return () => unsubscribe(CHANNEL, onProgress)
}
