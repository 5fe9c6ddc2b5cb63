import type { Span, SpanOutcome } from './span.ts'
import type { OtelApi, OtelContext, OtelSpan } from './otel-api.ts'

/** A span with the place in the trace that it stands for. */
export interface RecordedSpan extends Span {
  readonly context: OtelContext
}

/** A span of OpenTelemetry as one of ours. */
export function toSpan(api: OtelApi, span: OtelSpan, context: OtelContext): RecordedSpan {
  const { traceId, spanId } = span.spanContext()
  const run = <T>(work: () => T): T => api.context.with(context, work)
  return {
    context,
    traceId,
    spanId,
    run,
    runEach: (chunks) => iterateIn(run, chunks),
    end(outcome = {}) {
      recordOutcome(api, span, outcome)
      span.end()
    },
  }
}

/** Only a fault of ours fails a server's span; a 404 is an answer. */
function recordOutcome(api: OtelApi, span: OtelSpan, { status, error }: SpanOutcome): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status)
  if (error === undefined && (status === undefined || status < 500)) return
  span.setAttribute('error.type', error instanceof Error ? error.name : String(status ?? '_OTHER'))
  if (error instanceof Error || typeof error === 'string') span.recordException(error)
  span.setStatus({ code: api.SpanStatusCode.ERROR })
}

/** A generator runs where its `next` is called, not where it was made. */
function iterateIn<T>(run: <R>(work: () => R) => R, chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
      return {
        next: async () => run(() => source.next()),
        return: async () => run(() => source.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}
