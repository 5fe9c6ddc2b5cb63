import type { RunPage } from './store/run-store.ts'
import { unref } from '../platform/unref-timer.ts'

/** A subscription to changes to a run. */
export interface RunSubscription {
  /**
   * Waits up to `ms` milliseconds for a change. Returns the new page if that is the only change since the last call,
   * `changed` if the run must be read again, `idle` after a timeout, or `closed` if the server is shutting down.
   */
  next(ms: number): Promise<RunPage | 'changed' | 'idle' | 'closed'>
  close(): void
}

/** The subscriptions to runs in this process. At most one page is buffered for each subscriber. */
export class RunNews {
  readonly #subscribers = new Map<string, Set<(news: RunPage | null) => void>>()
  readonly #closed = new Set<() => void>()
  isClosed = false

  /** Publishes a new page of a run, or any other change if `page` is null. */
  publish(run: string, page: RunPage | null): void {
    for (const notify of this.#subscribers.get(run) ?? []) notify(page)
  }

  /** Notifies all subscribers that their runs may have changed. */
  publishAll(): void {
    for (const run of this.#subscribers.keys()) this.publish(run, null)
  }

  hasSubscribers(): boolean {
    return this.#subscribers.size > 0
  }

  /** Ends all subscriptions. */
  close(): void {
    this.isClosed = true
    for (const end of this.#closed) end()
  }

  subscribe(run: string): RunSubscription {
    let pending: RunPage | 'changed' | null = null
    let wake: () => void = () => {}
    const notify = (page: RunPage | null): void => {
      pending = pending === null && page !== null ? page : 'changed'
      wake()
    }
    const end = (): void => wake()
    const all = this.#subscribers.get(run) ?? new Set()
    this.#subscribers.set(run, all.add(notify))
    this.#closed.add(end)
    return {
      next: async (ms) => {
        if (pending === null && !this.isClosed) {
          await new Promise<void>((resolve) => {
            const timer = unref(setTimeout(resolve, ms))
            wake = () => (clearTimeout(timer), resolve())
          })
        }
        const news = pending
        pending = null
        return this.isClosed ? 'closed' : (news ?? 'idle')
      },
      close: () => {
        all.delete(notify)
        if (all.size === 0) this.#subscribers.delete(run)
        this.#closed.delete(end)
      },
    }
  }
}
