import { ApiError } from '@sdk/protocol'
import { MAX_PAGE_CHUNKS, PAGE_SIZE_LIMIT, RUN_LIMITS } from './run-limits.ts'
import { limitExceeded, serializeError } from './run-error.ts'
import type { FinishedStep, RunEnd, RunPause, RunWrite, StoredStep } from './store/run-store.ts'
import { StepTraces } from './step/step-traces.ts'

/** The state from which this process starts to execute a run. */
export interface ActiveRunStart {
  readonly id: string
  readonly epoch: number
  /** The number of chunks that are already stored. */
  readonly kept: number
  /** The total size of the stored chunks. */
  readonly size: number
  /** The finished steps in the order in which they were stored. */
  readonly steps: ReadonlyMap<string, StoredStep>
}

/** A position in the chunks of a run, from which a failed step is retried. */
interface ChunkMark {
  /** The index of the next chunk. */
  readonly index: number
  readonly produced: number
  readonly size: number
}

/** The maximum total size of chunks that are not stored yet. If it is exceeded, the handler waits for the store. */
const MAX_PENDING_SIZE = 1_048_576

/**
 * A run that this process executes. It buffers chunks, finished steps and the outcome until the writer stores them.
 * Once the run has ended or belongs to another process, nothing more is stored and its steps never settle.
 */
export class ActiveRun {
  readonly id: string
  epoch: number
  readonly finished: ReadonlyMap<string, StoredStep>
  readonly traces: StepTraces = new StepTraces()
  /** A promise that resolves when the run has ended or belongs to another process. */
  readonly over: Promise<void>
  /** Called when the run is over. There is one function per run, since a handler waits for one chunk at a time. */
  onOver: () => void = () => {}
  /** Called when an event may have been sent to the run. */
  onNews: () => void = () => {}
  /** Called when the handler continues after the run has left this process. */
  onLate: () => void = () => {}
  /** Called when the run fails because of a limit or a value that is not JSON, which its handler does not see. */
  onFail: (error: ApiError) => void = () => {}
  /** Called when a finished step is stored. */
  onProgress: () => void = () => {}
  isOver = false
  /** Whether the outcome of the run is stored. */
  hasEnded = false
  /** Whether the run is over or its outcome is being stored, so that nothing more can be added. */
  isEnding = false
  /** The error that ended the run while its handler was running. */
  failure: unknown
  /** The number of chunks that the handler has yielded, including those that were already stored. */
  produced = 0
  readonly #kept: number
  readonly #save: (run: ActiveRun) => void
  #size: number
  #stepCount: number
  /** The stream steps that are running. */
  readonly #streams = new Set<ChunkMark>()
  #first: number
  #chunks: string[] = []
  #pendingSize = 0
  #steps: FinishedStep[] = []
  #end: RunWrite['end'] = null
  #added = 0
  #stored = 0
  #waiting: { readonly at: number; resolve(): void }[] = []
  #isPaused = false
  #resumed: Promise<void> = Promise.resolve()
  #resume: () => void = () => {}
  #isRefused = false
  #finish: () => void = () => {}
  #controller: AbortController | undefined

  /** Creates a run. `save` is called when there is something to store. */
  constructor({ id, epoch, kept, size, steps }: ActiveRunStart, save: (run: ActiveRun) => void) {
    this.id = id
    this.epoch = epoch
    this.finished = steps
    this.#kept = kept
    this.#size = size
    this.#first = kept
    this.#stepCount = [...steps.keys()].filter((name) => !name.endsWith('#end')).length
    this.#save = save
    this.over = new Promise((resolve) => {
      this.#finish = () => {
        resolve()
        this.onOver()
      }
    })
  }

  /** The controller of `ctx.signal`. It is created on first use, since most short runs do not need it. */
  get controller(): AbortController {
    return (this.#controller ??= new AbortController())
  }

  /** Adds a chunk of JSON, unless it is already stored. Resolves when the handler may continue. */
  addChunk(chunk: string): Promise<void> | undefined {
    this.produced += 1
    if (this.produced <= this.#kept || this.isEnding) return undefined
    if (chunk.length > RUN_LIMITS.chunk)
      return this.#exceed(`a chunk has more than ${RUN_LIMITS.chunk} characters of JSON`)
    this.#size += chunk.length
    if (this.#size > RUN_LIMITS.chunks)
      return this.#exceed(`the chunks of the run have more than ${RUN_LIMITS.chunks} characters of JSON`)
    this.#chunks.push(chunk)
    this.#pendingSize += chunk.length
    this.#add()
    const isFull = this.#pendingSize > MAX_PENDING_SIZE || this.#chunks.length > MAX_PAGE_CHUNKS
    return isFull ? this.stored() : undefined
  }

  /** Skips the chunks of a finished step. */
  skipStep(chunks: number): void {
    this.produced = Math.max(this.produced, chunks)
  }

  /** Marks that the handler will pass no further finished step, so that none of its next chunks are stored yet. */
  catchUp(): void {
    this.produced = Math.max(this.produced, this.#kept)
  }

  /** Begins a step that has not finished yet. `isStream` marks a step whose chunks follow until `endStream`. */
  beginStep(isStream = false): ChunkMark {
    this.#stepCount += 1
    if (this.#stepCount > RUN_LIMITS.steps) this.#exceed(`the run has more than ${RUN_LIMITS.steps} steps`)
    const mark = { index: this.index(), produced: this.produced, size: this.#size }
    if (isStream) this.#streams.add(mark)
    return mark
  }

  /** Ends a step that streams, whether it has finished or failed. */
  endStream(mark: ChunkMark): void {
    this.#streams.delete(mark)
  }

  /** Returns the index of the next chunk. */
  index(): number {
    return this.#first + this.#chunks.length
  }

  /** Returns how many chunks before `index` a step that finishes now keeps. */
  keptBefore(index: number): number {
    // Chunks of a stream step that is still running are not kept: the step would produce them again.
    return Math.min(index, ...[...this.#streams].map((mark) => mark.index))
  }

  /** Stores a finished step that keeps the chunks before `index`, after these chunks. */
  async finishStep(name: string, value: string | null, index: number): Promise<void> {
    if (this.isEnding) return never()
    this.#steps.push({ name, value, chunks: this.keptBefore(index), trace: this.traces.end(name) })
    this.#add()
    await this.stored()
  }

  /** Waits until everything is stored. Then nothing more is stored until `restart`, since the epoch changes. */
  async pause(): Promise<void> {
    while (this.#stored < this.#added) await this.stored()
    this.#isPaused = true
    this.#resumed = new Promise((resolve) => (this.#resume = resolve))
  }

  /** Resolves when the run is not paused. Never settles if the run is over before then. */
  resumed(): Promise<void> {
    return this.#resumed
  }

  /** Resets the run to a mark, in a new epoch. */
  restart({ index, produced, size }: ChunkMark, epoch: number): void {
    Object.assign(this, { produced, epoch })
    this.#isPaused = false
    this.#resume()
    this.#first = index
    this.#size = size
    this.#steps = this.#steps.map((step) => ({ ...step, chunks: Math.min(step.chunks, index) }))
    this.#save(this)
  }

  /** Ends or pauses the run. Resolves when this is stored or the run belongs to another process. */
  async finish(end: RunEnd | RunPause): Promise<void> {
    if (this.isEnding) return this.over
    this.isEnding = true
    this.#end = end
    this.#add()
    return this.over
  }

  /** Fails the run immediately, even if its handler catches the error. */
  fail(error: ApiError): void {
    if (!this.isEnding) this.onFail(error)
    void this.finish({ status: 'failed', output: null, error: serializeError(error) })
    this.failure = error
    this.controller.abort(error)
  }

  /** Fails a run whose data the store has rejected. Data that is not stored yet is lost. */
  refuse(): void {
    if (this.#isRefused) return this.stop('the store rejects the outcome of the run')
    this.#isRefused = true
    this.#chunks = []
    this.#steps = []
    this.isEnding = false
    this.fail(new ApiError('INTERNAL_SERVER_ERROR', 'The data of the run could not be stored'))
  }

  /** Stops the run in this process without storing anything more. */
  stop(reason: string): void {
    if (this.isOver) return
    this.isOver = this.isEnding = true
    this.failure = new DOMException(reason, 'AbortError')
    this.#finish()
    this.controller.abort(this.failure)
  }

  /** Resolves when everything that was added is stored. Never settles if the run is over before then. */
  stored(): Promise<void> {
    if (this.isOver) return never()
    if (this.#stored === this.#added) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ at: this.#added, resolve }))
  }

  hasPending(): boolean {
    return !this.isOver && !this.#isPaused && (this.#chunks.length > 0 || this.#steps.length > 0 || this.#end !== null)
  }

  /** Removes and returns the data to store next. */
  take(): RunWrite {
    const first = this.#first
    const chunks = takeFirst(this.#chunks, { sizeOf: ({ length }) => length, max: MAX_PAGE_CHUNKS })
    for (const chunk of chunks) this.#pendingSize -= chunk.length
    this.#first += chunks.length
    const later = this.#steps.findIndex((step) => step.chunks > this.#first)
    const max = later === -1 ? this.#steps.length : later
    const steps = takeFirst(this.#steps, { sizeOf: ({ value }) => value?.length ?? 0, max })
    const end = this.#chunks.length === 0 && this.#steps.length === 0 ? this.#end : null
    if (end !== null) this.#end = null
    return { id: this.id, epoch: this.epoch, first, chunks, steps, end }
  }

  /** Marks a write as stored. */
  onStored({ chunks, steps, end }: RunWrite): void {
    this.#stored += chunks.length + steps.length + (end === null ? 0 : 1)
    const ready = this.#waiting.filter(({ at }) => at <= this.#stored)
    if (ready.length > 0) this.#waiting = this.#waiting.filter(({ at }) => at > this.#stored)
    for (const { resolve } of ready) resolve()
    if (steps.length > 0) this.onProgress()
    if (end === null) return
    this.hasEnded = end.status !== 'waiting'
    this.isOver = true
    this.#finish()
    if (end.status === 'waiting') this.controller.abort(new DOMException('the run pauses', 'AbortError'))
  }

  #exceed(message: string): undefined {
    this.fail(limitExceeded(message))
  }

  #add(): void {
    this.#added += 1
    this.#save(this)
  }
}

/** Removes and returns the first items, up to a number and a size. The last one may exceed the size. */
function takeFirst<T>(items: T[], { sizeOf, max }: { sizeOf: (item: T) => number; max: number }): T[] {
  let [count, size] = [0, 0]
  for (const item of items) {
    if (count === max || size >= PAGE_SIZE_LIMIT) break
    size += sizeOf(item)
    count += 1
  }
  return items.splice(0, count)
}

/**
 * Returns a promise that never settles. Code that awaits it never resumes, and its `catch` and `finally` blocks do not
 * run. Each call returns a new promise, so that the waiting code can be garbage collected.
 */
export function never(): Promise<never> {
  return new Promise(() => {})
}
