import { MAX_PAGE_CHUNKS, PAGE_SIZE_LIMIT, RUN_LIMITS } from './run-limits.ts'
import { limitExceeded, serializeError } from './run-error.ts'
import type { FinishedStep, RunEnd, RunWrite } from './run-store.ts'

/** The start of a run's execution in this process. */
export interface ActiveRunStart {
  readonly id: string
  readonly epoch: number
  /** The number of chunks that are already stored. */
  readonly kept: number
  /** The size of these chunks. */
  readonly size: number
  /** The finished steps, each with the number of chunks before its end. */
  readonly steps: ReadonlyMap<string, number>
}

/** A place in the chunks of a run, to which a failed step returns. */
interface ChunkMark {
  /** The index of the next chunk. */
  readonly index: number
  readonly produced: number
  readonly size: number
}

/** The size of chunks that may wait for the store before the handler waits too. */
const MAX_PENDING_SIZE = 1_048_576

/**
 * A run that this process executes. It collects chunks, steps and the end until the writer takes them. Once it is over,
 * because it has ended or belongs to another process, nothing more is stored and its steps never settle.
 */
export class ActiveRun {
  readonly id: string
  epoch: number
  readonly finished: ReadonlyMap<string, number>
  readonly controller: AbortController = new AbortController()
  /** Resolves when the run is over. */
  readonly over: Promise<void>
  isOver = false
  /** Whether the run is over or its end is being stored. Nothing more can be added. */
  isEnding = false
  /** The number of chunks that the handler has yielded, including those that were already stored. */
  produced = 0
  readonly #kept: number
  readonly #save: (run: ActiveRun) => void
  #size: number
  #stepCount: number
  #first: number
  #chunks: string[] = []
  #pendingSize = 0
  #steps: FinishedStep[] = []
  #end: RunEnd | null = null
  #added = 0
  #stored = 0
  #waiting: { readonly at: number; resolve(): void }[] = []
  #finish: () => void = () => {}

  /** Creates a run. `save` is called when there is something to store. */
  constructor({ id, epoch, kept, size, steps }: ActiveRunStart, save: (run: ActiveRun) => void) {
    this.id = id
    this.epoch = epoch
    this.finished = steps
    this.#kept = kept
    this.#size = size
    this.#first = kept
    this.#stepCount = steps.size
    this.#save = save
    this.over = new Promise((resolve) => (this.#finish = resolve))
  }

  /** Adds a chunk, as JSON. Resolves when the handler may continue. Chunks that are already stored are skipped. */
  addChunk(chunk: string): Promise<void> | undefined {
    this.produced += 1
    if (this.produced <= this.#kept || this.isEnding) return undefined
    if (chunk.length > RUN_LIMITS.chunk)
      throw limitExceeded(`a chunk has more than ${RUN_LIMITS.chunk} characters of JSON`)
    this.#size += chunk.length
    if (this.#size > RUN_LIMITS.chunks)
      throw limitExceeded(`the chunks have more than ${RUN_LIMITS.chunks} characters of JSON`)
    this.#chunks.push(chunk)
    this.#pendingSize += chunk.length
    this.#add()
    const isFull = this.#pendingSize > MAX_PENDING_SIZE || this.#chunks.length > MAX_PAGE_CHUNKS
    return isFull ? this.stored() : undefined
  }

  /** Continues after the chunks of a finished step. */
  skipStep(chunks: number): void {
    this.produced = Math.max(this.produced, chunks)
  }

  /** Begins a step that has not finished yet. From here on, no chunk has been stored. */
  beginStep(): ChunkMark {
    this.produced = Math.max(this.produced, this.#kept)
    this.#stepCount += 1
    if (this.#stepCount > RUN_LIMITS.steps) this.fail(limitExceeded(`the run has more than ${RUN_LIMITS.steps} steps`))
    return { index: this.#index(), produced: this.produced, size: this.#size }
  }

  /** Stores a finished step, after the chunks before it. */
  async finishStep(name: string, value: string | null): Promise<void> {
    if (this.isEnding) return NEVER
    this.#steps.push({ name, value, chunks: this.#index() })
    this.#add()
    await this.stored()
  }

  /** Continues at a mark in a new epoch. */
  restart({ index, produced, size }: ChunkMark, epoch: number): void {
    Object.assign(this, { produced, epoch })
    this.#first = index
    this.#size = size
  }

  /** Ends the run. Resolves when the end is stored, or the run belongs to another process. */
  async finish(end: RunEnd): Promise<void> {
    if (this.isEnding) return this.over
    this.isEnding = true
    this.#end = end
    this.#add()
    return this.over
  }

  /** Fails the run at once, whatever its handler does with the error. */
  fail(error: Parameters<typeof serializeError>[0]): void {
    void this.finish({ status: 'failed', output: null, error: serializeError(error) })
    this.controller.abort(error)
  }

  /** Stops the run in this process without storing anything more. */
  stop(reason: string): void {
    if (this.isOver) return
    this.isOver = this.isEnding = true
    this.#finish()
    this.controller.abort(new DOMException(reason, 'AbortError'))
  }

  /** Resolves when everything that was added is stored. Never settles if the run is over before. */
  stored(): Promise<void> {
    if (this.isOver) return NEVER
    if (this.#stored === this.#added) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ at: this.#added, resolve }))
  }

  hasPending(): boolean {
    return !this.isOver && (this.#chunks.length > 0 || this.#steps.length > 0 || this.#end !== null)
  }

  /** Takes what must be stored next, in order. */
  take(): RunWrite {
    let count = 0
    for (let size = 0; count < this.#chunks.length && count < MAX_PAGE_CHUNKS && size < PAGE_SIZE_LIMIT; count++)
      size += this.#chunks[count]?.length ?? 0
    const chunks = this.#chunks.splice(0, count)
    for (const chunk of chunks) this.#pendingSize -= chunk.length
    const first = this.#first
    this.#first += count
    const later = this.#steps.findIndex((step) => step.chunks > this.#first)
    const steps = this.#steps.splice(0, later === -1 ? this.#steps.length : later)
    const end = this.#chunks.length === 0 && this.#steps.length === 0 ? this.#end : null
    if (end !== null) this.#end = null
    return { id: this.id, epoch: this.epoch, first, chunks, steps, end }
  }

  /** Called when a write is stored. */
  onStored({ chunks, steps, end }: RunWrite): void {
    this.#stored += chunks.length + steps.length + (end === null ? 0 : 1)
    const ready = this.#waiting.filter(({ at }) => at <= this.#stored)
    if (ready.length > 0) this.#waiting = this.#waiting.filter(({ at }) => at > this.#stored)
    for (const { resolve } of ready) resolve()
    if (end === null) return
    this.isOver = true
    this.#finish()
  }

  /** The index of the next chunk. */
  #index(): number {
    return this.#first + this.#chunks.length
  }

  #add(): void {
    this.#added += 1
    this.#save(this)
  }
}

/** A promise that never settles: code that waits for it is dropped, without running its `catch` or `finally`. */
export const NEVER: Promise<never> = new Promise(() => {})
