import type { RunPosition } from '@sdk/protocol'
import type { RunNews } from './run-news.ts'
import type { RunChunks, RunPage, RunStore, StoredRun } from './run-store.ts'

/** An event in the stream of a run. The position is that of the next chunk. */
export type RunEvent =
  | { readonly kind: 'chunks'; readonly chunks: readonly string[]; readonly position: RunPosition }
  | { readonly kind: 'opened'; readonly position: RunPosition }
  | { readonly kind: 'retracted'; readonly position: RunPosition }
  | { readonly kind: 'idle' }
  | { readonly kind: 'ended'; readonly run: StoredRun }

/** The source of a run's stream. */
export interface RunSource {
  readonly store: Pick<RunStore, 'read'>
  readonly news: RunNews
}

/** The error that cuts a stream. The client continues it with another request. */
export class StreamCut extends Error {}

/** How often a run is read without news, in ms. Lost news delay a stream by this time. */
const IDLE_MS = 5_000

/**
 * Follows a run from a position until it ends. Chunks that were stored just now are passed on directly. A reader that
 * is slower reads them from the store, so that nothing is held in memory for it.
 */
export async function* followRun({ store, news }: RunSource, id: string, start: RunPosition): AsyncGenerator<RunEvent> {
  const subscription = news.subscribe(id)
  const cursor = new RunCursor(store, id, start)
  let page: RunPage | null = null
  try {
    while (!cursor.isAtEnd) {
      const next = page === null ? null : cursor.accept(page)
      if (next === null) yield* cursor.readAll()
      else yield next
      page = cursor.isAtEnd ? null : yield* waitForNews(subscription)
    }
  } finally {
    subscription.close()
  }
}

/** A position in a run that advances with each event. */
class RunCursor {
  isAtEnd = false
  readonly #store: RunSource['store']
  readonly #id: string
  #epoch: number
  #index: number

  constructor(store: RunSource['store'], id: string, { epoch, index }: RunPosition) {
    this.#store = store
    this.#id = id
    this.#epoch = epoch
    this.#index = index
  }

  /** Advances over a page, or returns null if it does not begin at the position. */
  accept({ epoch, first, chunks }: RunPage): RunEvent | null {
    return epoch === this.#epoch && first === this.#index ? this.#advance(chunks) : null
  }

  /** Yields all events that are stored. */
  async *readAll(): AsyncGenerator<RunEvent> {
    for (let event = await this.#read(); event !== null; event = this.isAtEnd ? null : await this.#read()) yield event
  }

  async #read(): Promise<RunEvent | null> {
    const found = await this.#store.read(this.#id, this.#index)
    if (found === null || found.run.isGone) throw new StreamCut('the run was deleted')
    const keep = keptChunks(found.run, { epoch: this.#epoch, index: this.#index })
    this.#epoch = Math.max(1, found.run.epoch)
    if (keep < this.#index) {
      this.#index = keep
      return { kind: 'retracted', position: { epoch: this.#epoch, index: keep } }
    }
    const chunks = chunksFrom(found, this.#index)
    if (chunks.length > 0) return this.#advance(chunks)
    this.isAtEnd = found.run.endedAt !== null
    return this.isAtEnd ? { kind: 'ended', run: found.run } : null
  }

  #advance(chunks: readonly string[]): RunEvent {
    this.#index += chunks.length
    return { kind: 'chunks', chunks, position: { epoch: this.#epoch, index: this.#index } }
  }
}

/** Waits for news about a run. Returns a page, or null if the run must be read from the store. */
async function* waitForNews(subscription: ReturnType<RunNews['subscribe']>): AsyncGenerator<RunEvent, RunPage | null> {
  const found = await subscription.next(IDLE_MS)
  if (found === 'closed') throw new StreamCut('the server is shutting down')
  if (found === 'idle') yield { kind: 'idle' }
  return typeof found === 'object' ? found : null
}

/** Returns how many chunks before a position are still valid. */
export function keptChunks({ retractions }: Pick<StoredRun, 'retractions'>, { epoch, index }: RunPosition): number {
  return retractions.reduce((least, [since, keep]) => (since > epoch ? Math.min(least, keep) : least), index)
}

/** Returns the chunks from an index on, without those that were retracted. */
function chunksFrom({ run, pages }: RunChunks, from: number): string[] {
  const found: string[] = []
  for (const { epoch, first, chunks } of pages) {
    const end = keptChunks(run, { epoch, index: first + chunks.length })
    const start = from + found.length
    if (first <= start && end > start) found.push(...chunks.slice(start - first, end - first))
  }
  return found
}
