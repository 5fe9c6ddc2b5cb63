import { createStore } from '@sdk/frontend'
import type { ApiError } from '@sdk/protocol'

/** The outcome of one call. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'cancelled'
  /** 0: there was no answer. */
  readonly status: number
  readonly ms: number
  /** The value, or all chunks; undefined where it failed. */
  readonly output: unknown
  readonly error: ApiError | null
}

/** One call of a matrix. */
export interface Cell extends Partial<Outcome> {
  readonly index: number
  /** The id that its request was sent with; the run is found by it. */
  readonly requestId: string | null
  readonly progress: 'waiting' | 'running' | 'over'
}

/** All calls, and whether some are still running. */
export interface MatrixState {
  readonly cells: readonly Cell[]
  readonly isRunning: boolean
  /** The refusal that stopped it: too many requests. The remaining calls wait. */
  readonly stop: ApiError | null
}

/** The calls of a matrix. */
export interface MatrixPlan {
  readonly count: number
  readonly concurrency: number
  createId(): string
  /** Makes the call with this index; never rejects. */
  call(index: number, requestId: string, signal: AbortSignal): Promise<Outcome>
}

/** Makes many calls, some at a time. */
export function createMatrix() {
  const store = createStore<MatrixState>({ cells: [], isRunning: false, stop: null })
  let plan: MatrixPlan | null = null
  let controller = new AbortController()
  return { get: store.get, subscribe: store.subscribe, start, resume: () => void resume(), cancel }

  /** Starts again, and stops running calls. */
  function start(next: MatrixPlan): void {
    controller.abort()
    plan = next
    const toCell = (_: unknown, index: number): Cell => ({ index, requestId: null, progress: 'waiting' })
    store.patch({ cells: Array.from({ length: next.count }, toCell) })
    void resume()
  }

  /** Makes the calls that remained when it was stopped. */
  async function resume(): Promise<void> {
    if (plan === null) return
    controller = new AbortController()
    const { signal } = controller
    const current = plan
    store.patch({ isRunning: true, stop: null })
    await Promise.all(Array.from({ length: current.concurrency }, () => work(current, signal)))
    // Not if it was started again meanwhile: that run sets it itself.
    if (controller.signal === signal) store.patch({ isRunning: false })
  }

  async function work({ call, createId }: MatrixPlan, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && store.get().stop === null) {
      const cell = store.get().cells.find(({ progress }) => progress === 'waiting')
      if (cell === undefined) return
      const requestId = createId()
      put(cell.index, { requestId, progress: 'running' })
      const outcome = await call(cell.index, requestId, signal)
      if (controller.signal !== signal) return
      put(cell.index, { requestId, progress: 'over', ...outcome })
      if (outcome.status === 429) store.patch({ stop: outcome.error })
    }
  }

  function put(index: number, change: Omit<Cell, 'index'>): void {
    store.patch({ cells: store.get().cells.with(index, { index, ...change }) })
  }

  /** Stops running calls, and starts no more. */
  function cancel(): void {
    controller.abort()
  }
}
