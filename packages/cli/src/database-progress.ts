import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Log } from '@sdk/server'

/** The diagnostics channel of `@sdk/database`. It is used because the project opens the database itself. */
const CHANNEL = 'sdk:database:progress'

/** Logs the opening of the embedded database, which may take seconds. Returns a function that stops logging. */
export function logDatabaseProgress(log: Log): () => void {
  const onProgress = (message: unknown): void => {
    const { state, text } = message as { state: string; text: string }
    if (state === 'opening' || state === 'open') log.info(text)
    else log.warn(text)
  }
  subscribe(CHANNEL, onProgress)
  return () => unsubscribe(CHANNEL, onProgress)
}
