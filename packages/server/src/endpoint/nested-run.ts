import type { RequestContext } from '../context/context.ts'
import { observeRun } from '../observe/request-observer.ts'
import type { Tracer } from '../observe/otel.ts'
import type { ServerRequest } from '../http/server-request.ts'
import { isChunks } from '../platform/is-chunks.ts'

/** A run within a request, such as an agent that is called by another agent. */
export interface NestedRun {
  readonly route: string
  readonly input: unknown
  readonly caller: RequestContext
  /** The request that the run receives. @default the caller's request */
  readonly incoming?: ServerRequest
  /** The id of the tool call with which a model has called the run. @default none */
  readonly toolCallId?: string | undefined
}

/**
 * A function that runs `work` within a request, with a separate context and, if tracing is enabled, a separate span.
 */
export type RunNested = (nested: NestedRun, work: (ctx: RequestContext) => Promise<unknown>) => Promise<unknown>

/** The maximum depth of nested runs. */
const MAX_CALL_DEPTH = 32

/** Creates the `RunNested` function. */
export function createRunNested(tracer: Tracer): RunNested {
  return async ({ route, input, caller, incoming, toolCallId }, work) => {
    if (caller.depth >= MAX_CALL_DEPTH)
      throw new TypeError(
        `${caller.route} cannot call ${route}: calls may be nested ${MAX_CALL_DEPTH} deep; ` +
          'check whether a route or an agent calls itself',
      )
    const ctx = caller.nested(route, incoming)
    const observer = (ctx.observer = caller.observer?.onNestedRun(route, input, toolCallId))
    const run = (): Promise<unknown> => ctx.enter(() => enterResult(ctx, work))
    const observed = observer === undefined ? run : () => observeRun(observer, run)
    const parent = ctx.trace === caller.trace ? { parent: caller.span } : { trace: ctx.trace, isContinued: true }
    const span = tracer.isRecording() ? tracer.start(route, parent) : null
    if (span === null) return observed()
    ctx.span = span
    try {
      const result = await span.run(observed)
      span.end()
      return result
    } catch (error) {
      span.end({ error })
      throw error
    }
  }
}

/** Runs `work`. If its result is chunks, their source runs as part of the nested run, too, and not of its caller. */
async function enterResult(ctx: RequestContext, work: (ctx: RequestContext) => Promise<unknown>): Promise<unknown> {
  const result = await work(ctx)
  return typeof result === 'object' && result !== null && isChunks(result) ? ctx.enterEach(result) : result
}
