import { channel } from 'node:diagnostics_channel'

/**
 * The diagnostics channel on which the embedded database reports its progress. It is a channel because the code that
 * prints the progress, such as a development server, is rarely the code that opens the database.
 */
export const PROGRESS_CHANNEL = 'sdk:database:progress'

/** A progress report. */
export interface PgliteProgress {
  /**
   * The state of the database. `inline` means that the database runs without a worker thread, so queries block this
   * thread.
   */
  readonly state: 'opening' | 'open' | 'inline' | 'lost'
  /** One line of text for the terminal. */
  readonly text: string
}

const progress = channel(PROGRESS_CHANNEL)

/** Publishes a progress report. */
export function reportProgress(state: PgliteProgress['state'], text: string): void {
  if (progress.hasSubscribers) progress.publish({ state, text } satisfies PgliteProgress)
}
