import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Log } from '@sdk/server'

/** The diagnostics channel of `@sdk/database`, since the project opens the database itself. */
const CHANNEL = 'sdk:database:progress'

/** Logs the progress of the embedded database, since opening it may take seconds. Returns a function that stops it. */
export function logDatabaseProgress(log: Log): () => void {
  const onProgress = (message: unknown): void => {
    const { state, text } = message as { state: string; text: string }
    if (state === 'opening' || state === 'open') log.info(text)
    else log.warn(text)
  }
  subscribe(CHANNEL, onProgress)
  return () => unsubscribe(CHANNEL, onProgress)
}
