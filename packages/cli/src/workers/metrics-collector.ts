import { setTimeout as sleep } from 'node:timers/promises'
import { countersOf, mergeMetrics } from './merge-metrics.ts'
import type { WorkerProcess } from './worker-process.ts'

/** How long the workers may take to send their metrics, in ms. Otherwise, their last ones are used. */
const TIMEOUT_MS = 1_000

/** Collects the metrics of all workers in the primary process. */
export interface MetricsCollector {
  /** Receives the metrics of a worker. */
  receive(worker: WorkerProcess, text: string): void
  /** Receives the metrics of a worker, and sends those of all workers to it. */
  merge(worker: WorkerProcess, request: { readonly id: number; readonly text: string }): Promise<void>
  /** Keeps the counters of a worker that has exited. */
  retire(worker: WorkerProcess): void
}

/** Creates the collector. `list` returns the workers that can respond. */
export function createMetricsCollector(list: () => readonly WorkerProcess[]): MetricsCollector {
  const texts = new Map<WorkerProcess, string>()
  const pending = new Map<WorkerProcess, Set<() => void>>()
  let retired = ''

  function receive(worker: WorkerProcess, text: string): void {
    texts.set(worker, text)
    for (const resolve of pending.get(worker) ?? []) resolve()
    pending.delete(worker)
  }

  function read(worker: WorkerProcess): Promise<void> {
    const waiting = pending.get(worker) ?? new Set()
    if (waiting.size === 0) worker.send({ sdk: 'read-metrics' })
    pending.set(worker, waiting)
    return new Promise((resolve) => void waiting.add(resolve))
  }

  return {
    receive,
    async merge(worker, { id, text }) {
      receive(worker, text)
      const others = list().filter((one) => one !== worker)
      await Promise.race([Promise.all(others.map(read)), sleep(TIMEOUT_MS, undefined, { ref: false })])
      const all = Array.from(texts, ([{ number }, own]) => ({ worker: number, text: own }))
      worker.send({ sdk: 'merged-metrics', id, text: mergeMetrics([{ worker: null, text: retired }, ...all]) })
    },
    retire(worker) {
      const text = texts.get(worker)
      texts.delete(worker)
      for (const resolve of pending.get(worker) ?? []) resolve()
      pending.delete(worker)
      if (text !== undefined)
        retired = mergeMetrics([retired, countersOf(text)].map((one) => ({ worker: null, text: one })))
    },
  }
}
