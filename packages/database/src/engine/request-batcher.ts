import { ApiError } from '@sdk/protocol'

/** Questions that go together. */
export interface Batcher<In, Out> {
  add(input: In): Promise<Out>
  /** Settles when nothing is under way. */
  settled(): Promise<void>
}

interface BatcherOptions<In, Out> {
  /** Asks them all; answers are in the order of the questions. */
  run(batch: readonly In[]): Promise<readonly Out[]>
  /** Questions that go together at most. */
  readonly maxBatch: number
}

interface WaitingRequest<In, Out> {
  readonly input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

/** So many may wait; a database that stands still would else fill the memory. */
const MAX_WAITING_REQUESTS = 50_000

/** Joins what is asked while another question is under way: one batch at a time, in order. */
export function createBatcher<In, Out>({ run, maxBatch }: BatcherOptions<In, Out>): Batcher<In, Out> {
  let waiting: WaitingRequest<In, Out>[] = []
  let working: Promise<void> | undefined

  return {
    add: (input) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING_REQUESTS)
          return reject(new ApiError('SERVICE_UNAVAILABLE', 'Too much waits for the engine', { retryAfter: 1 }))
        waiting.push({ input, resolve, reject })
        working ??= work()
      }),
    async settled() {
      await working
    },
  }

  async function work(): Promise<void> {
    await Promise.resolve() // what is asked in one turn goes together
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      try {
        const answers = await run(batch.map(({ input }) => input))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Out)
      } catch (error) {
        // Those who wait, too: otherwise each further batch would run into the same timeout, for seconds.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error)
      }
    }
    working = undefined
  }
}
