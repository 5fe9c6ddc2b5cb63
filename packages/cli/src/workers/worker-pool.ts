import { setTimeout as sleep } from 'node:timers/promises'
import { createConnectionCounts } from './connection-counts.ts'
import { createMetricsCollector } from './metrics-collector.ts'
import type { PrimaryLog } from './primary-log.ts'
import { startWorker, type WorkerExit, type WorkerProcess } from './worker-process.ts'
import type { StopSignal, WorkerReport } from './worker-messages.ts'

/** Options for a `WorkerPool`. */
export interface WorkerPoolOptions {
  /** The number of workers. */
  readonly count: number
  readonly log: PrimaryLog
  /** Called if workers exit again and again before they listen, and none is left. */
  readonly onCrashLoop: (exit: WorkerExit) => void
}

/** The delay before an exited worker is started again, in ms. It doubles with each worker that does not start. */
const RESTART_DELAY_MS = { first: 100, most: 30_000 }

/** The number of workers that may fail to start, one after the other, while no worker listens. */
const MAX_FAILED_STARTS = 5

/** How long a worker may take until it listens, in ms, when it replaces another one. */
const START_TIMEOUT_MS = 60_000

/** How long a worker may take to finish its requests, in ms. It waits 30 s itself, and one more for load balancers. */
const STOP_TIMEOUT_MS = 40_000

/** The workers that serve the app on one port. Exited workers are started again. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  /** The worker of each number. */
  readonly #current = new Map<number, WorkerProcess>()
  /** Also contains workers that start as replacements, and those that finish their requests. */
  readonly #running = new Set<WorkerProcess>()
  readonly #metrics = createMetricsCollector(() => this.#listReady())
  readonly #connections = createConnectionCounts(() => this.#listReady())
  readonly #stopping = new AbortController()
  /** The worker that runs the `onStart` hooks. */
  #leader: WorkerProcess | null = null
  #failedStarts = 0
  #replacing: Promise<void> | null = null
  #shouldRepeat = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Starts the first worker and then the others. Resolves with the exit of the first worker if it does not start. */
  async start(): Promise<WorkerExit | null> {
    for (let number = 1; number <= this.#options.count; number++) {
      const worker = this.#startWorker(number)
      if (number === 1 && !(await worker.ready)) return worker.exited
      this.#current.set(number, worker)
    }
    return null
  }

  /** Replaces all workers one by one. If a new worker does not start, the old ones continue. */
  replace(): Promise<void> {
    if (this.#replacing !== null) this.#shouldRepeat = true
    return (this.#replacing ??= this.#replaceAll().finally(() => {
      this.#replacing = null
      if (this.#shouldRepeat) void this.replace()
      this.#shouldRepeat = false
    }))
  }

  /** Stops all workers after their open requests have finished. Resolves with whether all exited with code 0. */
  async stop(signal: StopSignal): Promise<boolean> {
    this.#stopping.abort()
    const exits = await Promise.all(Array.from(this.#running, (worker) => stopWorker(worker, signal)))
    return exits.every(({ code }) => code === 0)
  }

  /** Kills all workers. */
  kill(): void {
    for (const worker of this.#running) worker.kill()
  }

  #startWorker(number: number): WorkerProcess {
    const leads = this.#leader === null
    const worker = startWorker({ number, leads }, (report) => this.#handleReport(worker, report))
    if (leads) this.#leader = worker
    this.#running.add(worker)
    void worker.exited.then((exit) => this.#handleExit(worker, exit))
    return worker
  }

  #handleReport(worker: WorkerProcess, report: WorkerReport): void {
    if (report.sdk === 'connection') this.#connections.add(worker, report.key, report.difference)
    else if (report.sdk === 'metrics') this.#metrics.receive(worker, report.text)
    else if (report.sdk === 'merge-metrics') void this.#metrics.merge(worker, report)
    else {
      this.#failedStarts = 0
      this.#connections.sendAll(worker)
      if (this.#leader === null) this.#appointLeader()
    }
  }

  #handleExit(worker: WorkerProcess, exit: WorkerExit): void {
    this.#running.delete(worker)
    this.#metrics.retire(worker)
    this.#connections.retire(worker)
    if (this.#leader === worker) this.#appointLeader()
    if (this.#current.get(worker.number) !== worker || this.#stopping.signal.aborted) return
    this.#current.delete(worker.number)
    void this.#restart(worker, exit)
  }

  /** Lets another worker run the `onStart` hooks. The lowest number is the newest worker during a replacement. */
  #appointLeader(): void {
    const ready = [...this.#current.values()].filter((one) => one.isReady())
    this.#leader = ready.toSorted((a, b) => a.number - b.number)[0] ?? null
    this.#leader?.send({ sdk: 'lead' })
  }

  async #restart({ number, hasStarted }: WorkerProcess, exit: WorkerExit): Promise<void> {
    const { log, onCrashLoop } = this.#options
    log.error('worker exited unexpectedly', { worker: number, ...exit })
    if (!hasStarted()) this.#failedStarts++
    if (this.#failedStarts >= MAX_FAILED_STARTS && this.#listReady().length === 0) return onCrashLoop(exit)
    const delay = Math.min(RESTART_DELAY_MS.most, RESTART_DELAY_MS.first * 2 ** this.#failedStarts)
    await sleep(delay, undefined, { signal: this.#stopping.signal }).catch(() => {})
    if (!this.#stopping.signal.aborted && !this.#current.has(number))
      this.#current.set(number, this.#startWorker(number))
  }

  async #replaceAll(): Promise<void> {
    const { log, count: workers } = this.#options
    log.info('replacing workers', { workers })
    for (let number = 1; number <= workers && !this.#stopping.signal.aborted; number++) {
      const fresh = this.#startWorker(number)
      if (!(await startsWithin(fresh, START_TIMEOUT_MS))) {
        fresh.kill()
        const exit = await fresh.exited
        return log.error('replacement stopped: a new worker did not start', { worker: number, ...exit })
      }
      const old = this.#current.get(number)
      this.#current.set(number, fresh)
      if (this.#leader === null) this.#appointLeader()
      if (old !== undefined) await stopWorker(old, 'SIGTERM')
    }
    log.info('replaced workers', { workers })
  }

  #listReady(): WorkerProcess[] {
    return [...this.#running].filter((one) => one.isReady())
  }
}

function startsWithin(worker: WorkerProcess, ms: number): Promise<boolean> {
  return Promise.race([worker.ready, sleep(ms, false, { ref: false })])
}

/** Stops a worker after its open requests have finished, or kills it after the timeout. */
async function stopWorker(worker: WorkerProcess, signal: StopSignal): Promise<WorkerExit> {
  // A worker that is still loading its modules would not receive the command.
  void worker.ready.then(() => worker.send({ sdk: 'stop', signal }))
  const timer = setTimeout(() => worker.kill(), STOP_TIMEOUT_MS)
  const exit = await worker.exited
  clearTimeout(timer)
  return exit
}
