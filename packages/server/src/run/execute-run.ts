import { ApiError, type ErrorDetail } from '@sdk/protocol'
import type { RequestAuth } from '../auth/identity.ts'
import type { RequestContext } from '../context/context.ts'
import type { ThreadInfo } from '../context/durable-context.ts'
import type { Agent } from '../define/agent.ts'
import { runAgentHandler, validateInput } from '../endpoint/endpoint.ts'
import { validateOrThrow } from '../http/body.ts'
import { toApiError } from '../http/error-response.ts'
import { isResponse } from '../http/reply.ts'
import type { Span } from '../observe/otel.ts'
import type { RunObserver } from '../observe/request-observer.ts'
import { isChunks } from '../platform/is-chunks.ts'
import type { ActiveRun } from './active-run.ts'
import { limitExceeded, serializeError } from './run-error.ts'
import { RUN_LIMITS } from './run-limits.ts'
import type { NewRun, RunEnd } from './store/run-store.ts'
import { untilRead } from './step/step-values.ts'

/** Executes the handler of a run until it ends, or until the run continues in another process. */
export async function executeRun(run: ActiveRun, execution: Execution): Promise<void> {
  run.onFail = (error) => void toApiError(error, () => execution.ctx.log)
  const end = await settle(run, execution)
  if (end !== null) await run.finish(end)
}

/** Options for executing a run. */
export interface Execution {
  readonly agent: Agent
  readonly ctx: RequestContext & { readonly runThread: RunThread | null }
  readonly input: RunInput
}

/** The thread of a run that is being executed. */
export interface RunThread {
  /** `ctx.thread`. */
  readonly info: ThreadInfo
  /** Returns the stored state as JSON, or null if there is none. */
  load(): Promise<string | null>
}

/** The input of a run: either the validated value from the request or the stored JSON. */
type RunInput = { readonly checked: unknown } | { readonly stored: string | null }

/** The caller and the input of an execution. */
export interface Attempt {
  readonly auth: RequestAuth | null
  readonly input: RunInput
  /** The span of the request that started the run, or null. */
  readonly span: Span | null
  /** The observer of the request that started the run. @default none */
  readonly observer?: RunObserver | undefined
}

async function settle(run: ActiveRun, { agent, ctx, input }: Execution): Promise<RunEnd | null> {
  try {
    const checked = 'checked' in input ? input.checked : await validateStored(agent.input, input.stored, INPUT_CHANGED)
    await loadState(run, ctx.runThread, agent.state)
    const result = await untilOver(
      run,
      ctx.enter(() => runAgentHandler(agent, checked, ctx)),
    )
    if (run.isEnding) return leave(run, ctx)
    const isStream = isStreamingAgent(agent)
    assertResult(agent, result, isStream)
    if (isStream) await storeChunks(run, ctx.enterEach(result as AsyncIterable<unknown>), ctx.observer)
    const output = isStream ? null : toOutput(result)
    ctx.observer?.onEnd(isStream ? {} : { output: result })
    return { status: 'done', output, error: null, state: await toStoredState(ctx.runThread, agent.state) }
  } catch (thrown) {
    if (run.isEnding) return leave(run, ctx)
    ctx.observer?.onEnd({ error: thrown })
    return { status: 'failed', output: null, error: serializeError(toApiError(thrown, () => ctx.log)) }
  }
}

/** Reports that a run was paused, or ended by something other than its handler. */
function leave({ failure }: ActiveRun, { observer }: Execution['ctx']): null {
  observer?.onEnd(failure === undefined ? {} : { error: failure })
  return null
}

/** Returns whether an agent streams. This must be known before its handler runs, because headers are sent first. */
export function isStreamingAgent({ stream, handler }: Pick<Agent, 'stream' | 'handler'>): boolean {
  return stream ?? /^\[object (Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(handler))
}

/** Returns the properties of a new run that depend only on its agent. */
export function settingsOf(agent: Agent): Pick<NewRun, 'isStream' | 'keepFor'> {
  return { isStream: isStreamingAgent(agent), keepFor: agent.durable?.keepFor ?? 0 }
}

const INPUT_CHANGED = "The run's input does not match its agent's current input schema"

/** Validates a stored input or event, which the current schema may reject. */
export async function validateStored(input: Agent['input'], text: string | null, message: string): Promise<unknown> {
  try {
    return await validateInput({ input }, text === null ? undefined : JSON.parse(text))
  } catch (cause) {
    const details: ErrorDetail[] = cause instanceof ApiError ? cause.details : []
    throw new ApiError('RUN_INPUT_CHANGED', message, { details, cause })
  }
}

const STATE_CHANGED = "The thread's state does not match its agent's current state schema"

/**
 * Returns the value of a thread's stored state, or the default of the schema, or null. The value is a copy, since a
 * handler may change it, and schemas return the same default each time.
 */
export async function parseState(schema: Agent['state'], text: string | null): Promise<unknown> {
  if (schema === undefined) return null
  if (text !== null && text !== 'null') {
    const details = (cause: unknown): ErrorDetail[] => (cause instanceof ApiError ? cause.details : [])
    try {
      return structuredClone(await validateOrThrow(schema, JSON.parse(text), 'body'))
    } catch (cause) {
      throw new ApiError('RUN_INPUT_CHANGED', STATE_CHANGED, { details: details(cause), cause })
    }
  }
  const result = await schema['~standard'].validate(undefined)
  return result.issues === undefined ? structuredClone(result.value ?? null) : null
}

async function loadState(run: ActiveRun, thread: RunThread | null, schema: Agent['state']): Promise<void> {
  if (thread === null || schema === undefined) return
  thread.info.state = await parseState(schema, await untilRead(run, () => thread.load()))
}

/** Returns the state to store at the end of a run, or undefined if there is none. */
async function toStoredState(thread: RunThread | null, schema: Agent['state']): Promise<string | undefined> {
  if (thread === null || schema === undefined) return undefined
  const text = JSON.stringify(thread.info.state) ?? 'null'
  if (text.length > RUN_LIMITS.value)
    throw limitExceeded(`the state of the thread has more than ${RUN_LIMITS.value} characters of JSON`)
  // A later run must be able to load the state.
  await parseState(schema, text).catch((cause: unknown) => {
    throw new TypeError('ctx.thread.state must match the state schema of the agent', { cause })
  })
  return text
}

function assertResult({ name }: Agent, result: unknown, isStream: boolean): void {
  const isObject = typeof result === 'object' && result !== null
  if (isObject && isResponse(result))
    throw new TypeError(
      `the durable agent ${name} must return JSON or yield chunks, got a Response: a run has no response of its own`,
    )
  if (isStream === (isObject && isChunks(result))) return
  throw new TypeError(
    isStream
      ? `the durable agent ${name} declares stream: true, so it must return an async iterable, got ${typeof result}`
      : `the durable agent ${name} returned an async iterable: write its handler as async *handler, or set stream: true`,
  )
}

async function storeChunks(
  run: ActiveRun,
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
  observer: RunObserver | undefined,
): Promise<void> {
  const source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  try {
    while (!run.isEnding) {
      const next = await untilOver(run, source.next())
      if (next === undefined || next.done === true) return
      observer?.onChunk(next.value)
      await run.addChunk(JSON.stringify(next.value) ?? 'null')
    }
  } finally {
    // Not awaited, because the generator may still be waiting for something else.
    if (run.isEnding) Promise.resolve(source.return?.()).catch(() => {})
  }
}

function toOutput(result: unknown): string | null {
  const text = JSON.stringify(result)
  if (text === undefined) return null
  if (text.length > RUN_LIMITS.value)
    throw limitExceeded(`the result has more than ${RUN_LIMITS.value} characters of JSON`)
  return text
}

/** Waits for a promise, or until the run is over. */
function untilOver<T>(run: ActiveRun, work: T | Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    run.onOver = () => resolve(undefined)
    if (run.isOver) resolve(undefined)
    Promise.resolve(work)
      .finally(() => run.isOver && run.onLate())
      .then(resolve, reject)
  })
}
