import { createStore } from '@sdk/frontend'
import type { ApiError } from '@sdk/protocol'

/** The outcome of one call. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'cancelled'
  /** The response status, or 0 if there was no response. */
  readonly status: number
  readonly ms: number
  /** The value or all chunks, or undefined if the call failed. */
  readonly output: unknown
  readonly error: ApiError | null
}

/** One call in a matrix. */
export interface Cell extends Partial<Outcome> {
  readonly index: number
  /** The request id, which identifies the call's run. */
  readonly requestId: string | null
  readonly progress: 'waiting' | 'running' | 'over'
}

/** The state of a matrix: all calls, and whether some are in progress. */
export interface MatrixState {
  readonly cells: readonly Cell[]
  readonly isRunning: boolean
  /** The rate limit error that stopped the matrix. The remaining calls are waiting. */
  readonly stop: ApiError | null
}

/** The calls to make in a matrix. */
export interface MatrixPlan {
  readonly count: number
  readonly concurrency: number
  createId(): string
  /** Makes the call with the given index. Never rejects. */
  call(index: number, requestId: string, signal: AbortSignal): Promise<Outcome>
}

/** Creates a matrix, which makes many calls with limited concurrency. */
export function createMatrix() {
  const store = createStore<MatrixState>({ cells: [], isRunning: false, stop: null })
  let plan: MatrixPlan | null = null
  let controller = new AbortController()
  return { get: store.get, subscribe: store.subscribe, start, resume: () => void resume(), cancel }

  /** Starts the calls in a plan. Calls that are still running are aborted. */
  function start(next: MatrixPlan): void {
    controller.abort()
    plan = next
    const toCell = (_: unknown, index: number): Cell => ({ index, requestId: null, progress: 'waiting' })
    store.patch({ cells: Array.from({ length: next.count }, toCell) })
    void resume()
  }

  /** Makes the calls that remained when the matrix was stopped. */
  async function resume(): Promise<void> {
    if (plan === null) return
    controller = new AbortController()
    const { signal } = controller
    const current = plan
    store.patch({ isRunning: true, stop: null })
    await Promise.all(Array.from({ length: current.concurrency }, () => work(current, signal)))
    // If the matrix was restarted in the meantime, the restart sets the state itself.
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

  /** Aborts running calls and starts no further calls. */
  function cancel(): void {
    controller.abort()
  }
}
