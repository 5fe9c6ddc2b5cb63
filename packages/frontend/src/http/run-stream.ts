import {
  CommonApiError,
  formatRunPosition,
  framingOf,
  fromEnvelope,
  parseRunPosition,
  RUN_ID_HEADER,
  RUN_POSITION_HEADER,
  type ApiError,
  type Run,
  type RunPosition,
} from '@sdk/protocol'
import type { RunState, SendOptions } from './call.ts'
import { collectChunks } from './collect-chunks.ts'
import { readRunPieces, Retracted } from './run-pieces.ts'
import { createRunRetries, type RunRetries, type RunRetryOptions } from './run-retries.ts'
import { readReplyChunks, type StreamReply } from './stream-reply.ts'
import { toNetworkError } from './to-api-error.ts'

/** Sends a GET request for a run, or for a path below it. Rejects if the response is an error. */
export type GetRun = (path: string, query?: Record<string, unknown>) => Promise<Response>

export interface RunStreamOptions extends RunRetryOptions, Pick<SendOptions, 'onRetract' | 'onRun' | 'query'> {
  get: GetRun
  /** The response with the first chunks, if there is one. */
  first?: Response | undefined
}

/** Returns the stream of a run. If the connection is lost, another request continues the stream. */
export function followStream(run: RunState, options: RunStreamOptions): StreamReply {
  const { onRetract = rejectRetraction } = options
  let retract: Retract = (keep) => onRetract(keep)
  const chunks = readRun(run, options, (keep, count) => retract(keep, count))
  return {
    kind: 'stream',
    headers: options.first?.headers ?? new Headers({ [RUN_ID_HEADER]: run.id }),
    chunks,
    collect: (collecting) =>
      collectChunks(chunks, collecting, (discard) => {
        retract = (keep, count) => {
          const isReceived = discard(count)
          return (collecting?.onRetract ?? (isReceived ? undefined : onRetract))?.(keep)
        }
      }),
  }
}

/** A function that is called with the number of chunks that remain valid, and of those that were retracted. */
type Retract = (keep: number, count: number) => unknown

/** Returns whether a response is the stream of a run. */
export function isRunStream(headers: Headers): boolean {
  return /ndjson|sse/.test(framingOf(headers.get('content-type')) ?? '')
}

export async function getRun(get: GetRun, query?: Record<string, unknown>): Promise<Run> {
  const response = await get('', query)
  return response.json().catch((cause: unknown) => {
    throw toNetworkError(cause)
  }) as Promise<Run>
}

function rejectRetraction(keep: number): never {
  const message = `All chunks after the first ${keep} are void: pass onRetract to remove them`
  throw new CommonApiError('RUN_RETRACTED', message)
}

/** Yields each chunk of a run once and in order. */
async function* readRun(run: RunState, options: RunStreamOptions, retract: Retract): AsyncGenerator<unknown, void> {
  const retries = createRunRetries(options)
  const reader = new RunReader(run, { ...options, retract }, retries)
  reader.show(run)
  for (let response = options.first; ; response = undefined) {
    let error: ApiError | null
    try {
      error = yield* reader.read(response ?? (await reader.open()))
    } catch (thrown) {
      await retries.pause(thrown)
      continue
    }
    const code = error?.code
    if (code === 'RUN_WAITING') {
      reader.refresh()
      await retries.pause()
      continue
    }
    const status = code === 'RUN_CANCELLED' ? 'cancelled' : error ? 'failed' : 'done'
    reader.show({ ...run, status, waiting: null })
    if (error) throw error
    return
  }
}

/** Reads the responses with a run's chunks, one after the other. */
class RunReader {
  readonly #options: RunStreamOptions & { retract: Retract }
  readonly #retries: RunRetries
  #run: RunState
  #at: RunPosition | null
  /** The number of keep-alive signals since the last chunk. */
  #idle = 0

  constructor(run: RunState, options: RunStreamOptions & { retract: Retract }, retries: RunRetries) {
    this.#run = run
    // The caller has the chunks before the position from which it asked to continue.
    this.#at = parseRunPosition(String(options.query?.['at']))
    this.#options = options
    this.#retries = retries
  }

  /** Requests the missing chunks. */
  open(): Promise<Response> {
    return this.#options.get('/chunks', { at: this.#at && formatRunPosition(this.#at) })
  }

  /**
   * Yields the chunks of a response. Returns the error that ended the run, or null if there is none. Throws
   * `NETWORK_ERROR` if the response is incomplete.
   */
  async *read(response: Response): AsyncGenerator<unknown, ApiError | null> {
    let error: ApiError | null | undefined
    await this.#moveTo(parseRunPosition(response.headers.get(RUN_POSITION_HEADER)))
    const pieces = readRunPieces(response, {
      ...this.#options,
      onBytes: this.#retries.reset,
      // Requests the state after 1, 2, 4, 8 … keep-alive signals.
      onIdle: () => (this.#idle++ & this.#idle) === 0 && this.refresh(),
      onEnd: () => (error = null),
    })
    for await (const chunk of readReplyChunks(pieces, (envelope) => (error = fromEnvelope(envelope)))) {
      if (chunk instanceof Retracted) await this.#moveTo(chunk.at)
      else yield this.#count(chunk)
    }
    if (error === undefined) throw toNetworkError(null)
    return error
  }

  /** Reports the state of the run. */
  show(run: RunState): void {
    this.#run = run
    this.#options.onRun?.(run)
  }

  /** Requests the state of the run, and reports it. */
  refresh(): void {
    const { get, onRun } = this.#options
    if (onRun)
      void getRun(get).then(
        (run) => this.show(run),
        () => {},
      )
  }

  #count(chunk: unknown): unknown {
    this.#idle = 0
    if (this.#at) this.#at.index++
    if (this.#run.status !== 'running') this.show({ ...this.#run, status: 'running', waiting: null })
    return chunk
  }

  async #moveTo(next: RunPosition | null): Promise<void> {
    const at = this.#at
    this.#at = next ?? at ?? { epoch: 1, index: 0 }
    if (at && this.#at.index < at.index) await this.#options.retract(this.#at.index, at.index - this.#at.index)
  }
}
