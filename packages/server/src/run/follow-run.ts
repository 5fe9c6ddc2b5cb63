import type { RunPosition } from '@sdk/protocol'
import type { RunNews } from './run-news.ts'
import type { RunChunks, RunPage, RunStore, StoredRun } from './store/run-store.ts'

/** An event in the stream of a run. `position` refers to the next chunk. */
export type RunEvent =
  | { readonly kind: 'chunks'; readonly chunks: readonly string[]; readonly position: RunPosition }
  | { readonly kind: 'opened'; readonly position: RunPosition }
  | { readonly kind: 'moved'; readonly position: RunPosition }
  | { readonly kind: 'retracted'; readonly position: RunPosition }
  | { readonly kind: 'idle' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'ended'; readonly run: StoredRun }

/** The sources from which runs are streamed. */
export interface RunSource {
  readonly store: Pick<RunStore, 'read'>
  readonly news: RunNews
}

/** An error that interrupts a stream. The client resumes the stream with another request. */
export class StreamCut extends Error {}

/** How often to read a run if there is no news, in ms. If news is lost, a stream is delayed by at most this long. */
const IDLE_MS = 5_000

/** How long a stream stays open while its run waits, in ms. */
const MAX_WAITING_MS = 300_000

/**
 * Follows a run from a position until it ends or has been waiting for a while. Chunks that have just been stored are forwarded directly. Slow readers
 * read chunks from the store instead, so that none are buffered for them in memory.
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
  /** The event or time that the run waits for, or `queued`. */
  #pause: string | null = null
  /** When the run was first found waiting. */
  #waitingSince: number | null = null

  constructor(store: RunSource['store'], id: string, { epoch, index }: RunPosition) {
    this.#store = store
    this.#id = id
    this.#epoch = epoch
    this.#index = index
  }

  /** Advances past a page. Returns null if the page does not start at the current position. */
  accept({ epoch, first, chunks }: RunPage): RunEvent | null {
    return epoch === this.#epoch && first === this.#index ? this.#advance(chunks) : null
  }

  /** Yields all stored events after the current position. */
  async *readAll(): AsyncGenerator<RunEvent> {
    for (let event = await this.#read(); event !== null; event = this.isAtEnd ? null : await this.#read()) yield event
  }

  async #read(): Promise<RunEvent | null> {
    const found = await this.#store.read(this.#id, this.#index)
    if (found === null || found.run.isGone) throw new StreamCut('the run was deleted')
    const keep = keptChunks(found.run, { epoch: this.#epoch, index: this.#index })
    const epoch = Math.max(1, found.run.epoch)
    if (epoch !== this.#epoch) {
      // After a retraction, readers need the new epoch: with the old one, a later position would be retracted, too.
      const isRetraction = found.run.retractions.some(([since]) => since > this.#epoch)
      const kind = keep < this.#index ? 'retracted' : isRetraction ? 'moved' : 'opened'
      this.#epoch = epoch
      this.#index = keep
      return { kind, position: { epoch, index: keep } }
    }
    const chunks = chunksFrom(found, this.#index)
    if (chunks.length > 0) return this.#advance(chunks)
    this.isAtEnd = found.run.endedAt !== null || this.#hasWaited(found.run)
    if (this.isAtEnd) return { kind: 'ended', run: found.run }
    const { status, waiting } = found.run
    const pause = status === 'queued' ? status : waiting
    if (pause === this.#pause) return null
    this.#pause = pause
    return { kind: 'changed' }
  }

  #hasWaited({ status }: StoredRun): boolean {
    this.#waitingSince = status === 'waiting' ? (this.#waitingSince ?? performance.now()) : null
    return this.#waitingSince !== null && performance.now() - this.#waitingSince >= MAX_WAITING_MS
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

/** Returns the number of chunks before a position that have not been retracted. */
export function keptChunks({ retractions }: Pick<StoredRun, 'retractions'>, { epoch, index }: RunPosition): number {
  return retractions.reduce((least, [since, keep]) => (since > epoch ? Math.min(least, keep) : least), index)
}

/** Returns the chunks from an index onward, except those that were retracted. */
export function chunksFrom({ run, pages }: RunChunks, from: number): string[] {
  const found: string[] = []
  for (const { epoch, first, chunks } of pages) {
    const end = keptChunks(run, { epoch, index: first + chunks.length })
    const start = from + found.length
    if (first <= start && end > start) found.push(...chunks.slice(start - first, end - first))
  }
  return found
}
