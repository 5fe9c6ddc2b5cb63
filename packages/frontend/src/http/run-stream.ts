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
import { createRunRetries, type RunRetryOptions } from './run-retries.ts'
import { readReplyChunks, type StreamReply } from './stream-reply.ts'
import { toNetworkError } from './to-api-error.ts'

/** Sends a GET request for a run, or for a path below it. Rejects if the response is an error. */
export type GetRun = (path: string, query?: Record<string, unknown>) => Promise<Response>

export interface RunStreamOptions extends RunRetryOptions, Pick<SendOptions, 'onRetract' | 'query'> {
  get: GetRun
  onRun?: ((run: RunState) => unknown) | undefined
  /** The response with the first chunks, if there is one. */
  first?: Response | undefined
}

/** Returns the stream of a run. If the connection is lost, another request continues the stream. */
export function followStream(run: RunState, options: RunStreamOptions): StreamReply {
  const { onRetract = rejectRetraction } = options
  options.onRun?.(run)
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
  const message = `Chunks after the first ${keep} are void: pass onRetract`
  throw new CommonApiError('RUN_RETRACTED', message)
}

/** Yields each chunk of a run once and in order. */
async function* readRun(run: RunState, options: RunStreamOptions, retract: Retract): AsyncGenerator<unknown, void> {
  const retries = createRunRetries(options)
  const { show, refresh, onChunk } = createRunObserver(run, options)
  // The caller has the chunks before the position from which it asked to continue.
  let at = parseRunPosition(String(options.query?.['at']))
  /** Whether the run has ended. */
  let isEnd = false
  for (let response = options.first; ; response = undefined) {
    let error: ApiError | null
    try {
      error = yield* read(response ?? (await options.get('/chunks', { at: at && formatRunPosition(at) })))
    } catch (thrown) {
      await retries.pause(thrown)
      continue
    }
    const code = error?.code
    // A run may also have failed with this code.
    if (code === 'RUN_WAITING' && !isEnd) {
      refresh()
      await retries.pause()
      continue
    }
    show({ ...run, status: code === 'RUN_CANCELLED' ? 'cancelled' : error ? 'failed' : 'done', waiting: null })
    if (error) throw error
    return
  }

  /** Yields the chunks of a response. Returns the error of the run, or null. Throws if the response is incomplete. */
  async function* read(response: Response): AsyncGenerator<unknown, ApiError | null> {
    let error: ApiError | null = null
    await moveTo(parseRunPosition(response.headers.get(RUN_POSITION_HEADER)))
    const onEpoch = (epoch: number): unknown => at && (at.epoch = epoch)
    const onEnd = (): unknown => (isEnd = true)
    const pieces = readRunPieces(response, { ...options, onBytes: retries.reset, onChange: refresh, onEpoch, onEnd })
    for await (const chunk of readReplyChunks(pieces, (envelope) => (error = fromEnvelope(envelope)))) {
      if (chunk instanceof Retracted) await moveTo(chunk.at)
      else {
        if (at) at.index++
        onChunk()
        yield chunk
      }
    }
    if (!error && !isEnd) throw toNetworkError(null)
    return error
  }

  async function moveTo(next: RunPosition | null): Promise<void> {
    const last = at
    at = next ?? at ?? { epoch: 1, index: 0 }
    if (!last) return
    if (at.epoch !== last.epoch) refresh()
    if (at.index < last.index) await retract(at.index, last.index - at.index)
  }
}

/** Functions that report the state of a run. */
interface RunObserver {
  /** Reports the state. */
  show(run: RunState): void
  /** Requests the state and reports it. */
  refresh(): void
  onChunk(): void
}

function createRunObserver(run: RunState, { get, onRun }: RunStreamOptions): RunObserver {
  let current = run
  /** The number of reports and requests. A response is out of date if there was another one after its request. */
  let latest = 0
  const show = (next: RunState): void => {
    latest++
    current = next
    onRun?.(next)
  }
  const refresh = (): void => {
    const own = ++latest
    if (onRun)
      void getRun(get).then(
        (next) => own === latest && show(next),
        () => {},
      )
  }
  return {
    show,
    refresh,
    onChunk() {
      if (current.status !== 'running') show({ ...current, status: 'running', waiting: null })
    },
  }
}
