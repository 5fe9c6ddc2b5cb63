import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Log } from '@sdk/server'

/** The diagnostics channel of `@sdk/database`. A channel is used because the project itself opens the database. */
const CHANNEL = 'sdk:database:progress'

/** Logs the progress of opening the embedded database, which can take seconds. Returns a function to stop logging. */
export function logDatabaseProgress(log: Log): () => void {
  const onProgress = (message: unknown): void => {
    const { state, text } = message as { state: string; text: string }
    if (state === 'opening' || state === 'open') log.info(text)
    else log.warn(text)
  }
  subscribe(CHANNEL, onProgress)
  return () => unsubscribe(CHANNEL, onProgress)
}
