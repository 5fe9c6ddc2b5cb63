import { channel } from 'node:diagnostics_channel'

/**
 * Where the embedded database says what it is doing, for whoever listens with `node:diagnostics_channel`. The one who
 * prints it, such as a development server, is seldom the one who opens the database.
 */
export const PROGRESS_CHANNEL = 'sdk:database:progress'

/** What is said there. */
export interface PgliteProgress {
  /** `inline`: there is no thread for it, so queries will hold up this one. */
  readonly state: 'opening' | 'open' | 'inline' | 'lost'
  /** One line for people. */
  readonly text: string
}

const progress = channel(PROGRESS_CHANNEL)

/** Says what the embedded database is doing. */
export function reportProgress(state: PgliteProgress['state'], text: string): void {
  if (progress.hasSubscribers) progress.publish({ state, text } satisfies PgliteProgress)
}
