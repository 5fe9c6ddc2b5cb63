import cluster from 'node:cluster'
import type { ProcessPool } from '@sdk/server/node'
import {
  isOwnMessage,
  WORKER_LEADS,
  WORKER_NUMBER,
  type StopSignal,
  type WorkerCommand,
  type WorkerReport,
} from './worker-messages.ts'

/** The connection of a worker to the primary process. */
export interface CurrentWorker {
  readonly number: number
  /** Whether this worker runs the `onStart` hooks when it starts. */
  readonly isFirst: boolean
  /** Resolves when this worker is to run the `onStart` hooks. */
  readonly leads: Promise<void>
  /** The connections of the other workers. */
  readonly connections: ProcessPool['connections']
  /** Resolves with the signal that the primary process received. */
  readonly stopped: Promise<StopSignal>
  /** Reports that the worker listens. `readMetrics` returns its own metrics. */
  reportReady(readMetrics: () => string): void
  /** Returns the metrics of all workers. */
  mergeMetrics(own: string): Promise<string>
  /** Sends the last metrics, before the worker exits. */
  reportMetrics(own: string): Promise<void>
}

/** Returns the connection to the primary process, or null if the process is not a worker. */
export function connectToPrimary(): CurrentWorker | null {
  const number = Number(process.env[WORKER_NUMBER])
  if (!cluster.isWorker || !(number > 0)) return null
  let readOwn = (): string => ''
  let ids = 0
  const elsewhere = new Map<string, number>()
  const merged = new Map<number, (text: string) => void>()
  let lead = (): void => {}
  let stop: (signal: StopSignal) => void = () => {}
  const leads = new Promise<void>((resolve) => (lead = resolve))
  const stopped = new Promise<StopSignal>((resolve) => (stop = resolve))
  const isFirst = process.env[WORKER_LEADS] === 'yes'
  if (isFirst) lead()
  // A terminal sends Ctrl-C to all processes; the primary process then stops the workers.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('message', (message) => {
    if (isOwnMessage(message)) handle(message as WorkerCommand)
  })

  function handle(command: WorkerCommand): void {
    if (command.sdk === 'stop') stop(command.signal)
    else if (command.sdk === 'lead') lead()
    else if (command.sdk === 'connections') setCount(command)
    else if (command.sdk === 'read-metrics') void report({ sdk: 'metrics', text: readOwn() })
    else {
      merged.get(command.id)?.(command.text)
      merged.delete(command.id)
    }
  }

  function setCount({ key, count }: Extract<WorkerCommand, { sdk: 'connections' }>): void {
    if (count === 0) elsewhere.delete(key)
    else elsewhere.set(key, count)
  }

  return {
    number,
    isFirst,
    leads,
    connections: {
      count: (key) => elsewhere.get(key) ?? 0,
      add: (key, difference) => void report({ sdk: 'connection', key, difference }),
    },
    stopped,
    reportReady(readMetrics) {
      readOwn = readMetrics
      void report({ sdk: 'ready' })
    },
    mergeMetrics: (own) =>
      new Promise((resolve) => {
        ids += 1
        merged.set(ids, resolve)
        void report({ sdk: 'merge-metrics', id: ids, text: own })
      }),
    reportMetrics: (own) => report({ sdk: 'metrics', text: own }),
  }
}

/** Sends a message to the primary process. Resolves when it is sent, or if the primary process has exited. */
function report(message: WorkerReport): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve())
    else resolve()
  })
}
