import { ApiError } from '@sdk/protocol'

interface WaitingRequest<In, Out> {
  readonly input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

/** The maximum number of waiting requests. Without a limit, a stalled database would exhaust memory. */
const MAX_WAITING_REQUESTS = 50_000

/** A batcher for requests that arrive while a batch is running. It runs one batch at a time, in order. */
export class Batcher<In, Out> {
  readonly #maxBatch: number
  readonly #run: (batch: readonly In[]) => Promise<readonly Out[]>
  #waiting: WaitingRequest<In, Out>[] = []
  #working: Promise<void> | undefined

  /** Creates a batcher. `run` receives at most `maxBatch` requests and returns the results in the same order. */
  constructor(maxBatch: number, run: (batch: readonly In[]) => Promise<readonly Out[]>) {
    this.#maxBatch = maxBatch
    this.#run = run
  }

  add(input: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= MAX_WAITING_REQUESTS)
        return reject(new ApiError('SERVICE_UNAVAILABLE', 'The engine queue is full', { retryAfter: 1 }))
      this.#waiting.push({ input, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  /** Resolves when no request is pending. */
  async settled(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    await Promise.resolve() // requests from the same tick form a batch
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch)
      try {
        const answers = await this.#run(batch.map(({ input }) => input))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Out)
      } catch (error) {
        // Waiting requests fail too. Otherwise, each further batch would run into the same timeout of several seconds.
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
      }
    }
    this.#working = undefined
  }
}
