import { CommonApiError, fromEnvelope, isApiError, RUN_ID_HEADER, type Run, type Thread } from '@sdk/protocol'
import type { Exchange, ExchangeOptions, RunState } from './call.ts'
import { withDeadline } from './deadline.ts'
import { readReply, type Reply } from './response.ts'
import { MAX_SILENCE_MS } from './run-pieces.ts'
import { createRunRetries, type RunRetryOptions } from './run-retries.ts'
import { followStream, getRun, isRunStream, type GetRun, type RunStreamOptions } from './run-stream.ts'

/** The route and options of the call to a durable agent, and the function that sends further requests. */
interface CallToFollow extends ExchangeOptions, RunRetryOptions {
  route: string
  retry: number
  signal: AbortSignal
  exchange: Exchange
}

interface FollowOptions extends Omit<CallToFollow, 'onRun'>, Pick<RunStreamOptions, 'onRun'> {
  /** The response with the first chunks, if there is one. */
  first?: Response | undefined
}

/** The maximum time in seconds that the server waits for the end of a run before it responds. */
const MAX_WAIT = 30

/**
 * Returns the result of a run. `source` is the response that started the run, the id of the run, or `newest` for the
 * newest run of the thread.
 */
export async function follow(source: string | Response, call: CallToFollow): Promise<Reply> {
  const { onRun } = call
  const options = { ...call, onRun: onRun && ((run: RunState) => onRun(run, () => cancelRun(run.id, call))) }
  if (typeof source !== 'string') return readRunReply(source, options)
  const { retry } = options
  const run = source === 'newest' ? await findRun(options) : await getRun(toGetRun(source, options, retry))
  // Requested now, since the chunks of a run that has ended may have been deleted.
  const first = run.stream && run.endedAt ? await toGetRun(run.id, options, retry)('/chunks') : undefined
  return followRun(run, { ...options, first })
}

/** Returns the newest run of the thread. Throws `NOT_FOUND` if there is none, or if it was cancelled. */
async function findRun({ route, exchange, thread = '', ...options }: FollowOptions): Promise<Run> {
  const sending = { ...options, input: undefined, params: { ...options.params, thread } }
  const path = `${toAgentRoute(route)}/threads/:thread`
  const { run } = await exchange(path, sending, (response) => response.json() as Promise<Thread>)
  if (run && run.status !== 'cancelled') return run
  throw new CommonApiError('NOT_FOUND', 'The thread has no run', { status: 404 })
}

/** Reads the response of a durable agent. If the response does not contain the result of the run, follows the run. */
async function readRunReply(response: Response, options: FollowOptions): Promise<Reply> {
  const { headers, status } = response
  const run: RunState = { id: headers.get(RUN_ID_HEADER) ?? '', status: 'running', waiting: null }
  if (isRunStream(headers)) return followStream(run, { ...options, get: toGetRun(run.id, options), first: response })
  options.onRun?.(run)
  const reply = await readReply(response, options).catch((thrown: unknown) => {
    // The response was lost, but the run continues.
    if (isApiError(thrown) || !options.retry) throw thrown
    return null
  })
  if (reply?.kind !== 'value') return followRun(run, options)
  if (status === 202) return followRun(reply.value as Run, options)
  options.onRun?.({ ...run, status: 'done' })
  return reply
}

/** Waits for the result of a run: a value, or a stream. */
async function followRun(run: RunState & Partial<Run>, options: FollowOptions): Promise<Reply> {
  const { clock, onRun } = options
  const get = toGetRun(run.id, options)
  const retries = createRunRetries(options)
  const headers = new Headers({ [RUN_ID_HEADER]: run.id })
  for (let current = run; ;) {
    const { status, output = null, error } = current
    if (current.stream) return followStream(current, { ...options, get })
    onRun?.(current)
    if (status === 'done') return { kind: 'value', value: output, headers }
    if (status === 'failed' || status === 'cancelled')
      throw fromEnvelope({ error: error ?? { code: 'RUN_CANCELLED', message: 'The run was cancelled' } })
    const start = clock.now()
    try {
      current = await getRun(get, { wait: MAX_WAIT })
    } catch (thrown) {
      await retries.pause(thrown)
      continue
    }
    // A server that does not wait for the end of the run is polled less and less often.
    if (clock.now() - start > 10_000 || current.status !== status) retries.reset()
    if (!current.endedAt) await retries.pause()
  }
}

/** Cancels a run. Its state shows whether this succeeded, so an error is ignored. */
function cancelRun(id: string, { route, exchange, ...options }: CallToFollow): void {
  const path = `${toAgentRoute(route).replace('GET', 'DELETE')}/runs/:run`
  // The signal of the call may already be aborted.
  const about = { ...options, ...toRunTarget(id, options), signal: new AbortController().signal }
  exchange(path, about, () => {}).catch(() => {})
}

/** Returns a function that sends requests about a run, by default without retries. */
function toGetRun(id: string, { route, exchange, ...options }: FollowOptions, retry = 0): GetRun {
  const path = `${toAgentRoute(route)}/runs/:run`
  const about = { ...options, ...toRunTarget(id, options), retry }
  return (rest, query) => {
    // A response that is late is requested again. With retries, the caller's timeout applies instead.
    const timeoutMs = retry ? undefined : MAX_SILENCE_MS + Number(query?.['wait'] ?? 0) * 1000
    return withDeadline({ ...options, timeoutMs }, (signal) =>
      exchange(path + rest, { ...about, query, signal }, (response) => response),
    )
  }
}

/** Returns the options of a request about a run instead of those of the call to its agent. */
function toRunTarget(id: string, { params }: Pick<ExchangeOptions, 'params'>): Partial<ExchangeOptions> {
  return { input: undefined, thread: undefined, params: { ...params, run: id } }
}

/** Converts the route of an agent, or of a run's chunks, to a GET route for the agent's path. */
function toAgentRoute(route: string): string {
  return route.replace(/^\w+/, 'GET').replace(/\/runs\/[^/]+\/chunks$/, '')
}
