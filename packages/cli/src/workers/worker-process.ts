import cluster from 'node:cluster'
import { isOwnMessage, WORKER_LEADS, WORKER_NUMBER, type WorkerCommand, type WorkerReport } from './worker-messages.ts'

/** How a worker ended. */
export interface WorkerExit {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker process. */
export interface WorkerProcess {
  readonly number: number
  readonly pid: number | undefined
  /** Resolves with true when the worker listens, or with false if it exits before. */
  readonly ready: Promise<boolean>
  readonly exited: Promise<WorkerExit>
  /** Returns whether the worker has listened at some time. */
  hasStarted(): boolean
  /** Returns whether the worker listens. */
  isReady(): boolean
  send(command: WorkerCommand): void
  kill(): void
}

/** Starts a worker. `leads` is whether it runs the `onStart` hooks when it starts. */
export function startWorker(
  { number, leads }: { number: number; leads: boolean },
  onReport: (report: WorkerReport) => void,
): WorkerProcess {
  const worker = cluster.fork({ [WORKER_NUMBER]: String(number), ...(leads && { [WORKER_LEADS]: 'yes' }) })
  let hasStarted = false
  const exited = new Promise<WorkerExit>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const ready = new Promise<boolean>((resolve) => {
    void exited.then(() => resolve(false))
    worker.on('message', (message: unknown) => {
      if (!isOwnMessage(message)) return
      const report = message as WorkerReport
      if (report.sdk === 'ready') resolve((hasStarted = true))
      onReport(report)
    })
  })
  worker.on('error', () => {}) // a message that could not be sent; `exited` reports the end of the worker
  return {
    number,
    pid: worker.process.pid,
    ready,
    exited,
    hasStarted: () => hasStarted,
    isReady: () => hasStarted && !worker.isDead(),
    send: (command) => {
      if (worker.isConnected()) worker.send(command)
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
