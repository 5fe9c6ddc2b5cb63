import type { CallContext } from '../context/context.ts'
import { watchRun } from '../observe/call-observer.ts'
import type { Tracer } from '../observe/otel.ts'
import type { Call } from '../http/call.ts'

/** What runs inside of a call. */
export interface Nested {
  /** The one name of what runs. */
  readonly route: string
  readonly input: unknown
  readonly caller: CallContext
  /** The call it sees. @default that of the caller */
  readonly source?: Call
}

/** Runs work inside of a call, with a context, and where somebody records a span, of its own. */
export type RunNested = (nested: Nested, work: (ctx: CallContext) => Promise<unknown>) => Promise<unknown>

/** What runs work inside of calls. */
export function createRunNested(tracer: Tracer): RunNested {
  return async ({ route, input, caller, source }, work) => {
    const ctx = caller.nested(route, source)
    const watch = (ctx.watch = caller.watch?.nested(route, input))
    const run = (): Promise<unknown> => work(ctx)
    const watched = watch === undefined ? run : () => watchRun(watch, run)
    const span = tracer.isRecording() ? tracer.start(route, { parent: caller.span }) : null
    if (span === null) return watched()
    ctx.span = span
    try {
      const result = await span.run(watched)
      span.end()
      return result
    } catch (error) {
      span.end({ error })
      throw error
    }
  }
}
