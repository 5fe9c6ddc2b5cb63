/**
 * The part of `@opentelemetry/api` that we use. It is declared here because the package is optional, and types imported
 * from it would not compile without it. A test compares this declaration with the real package.
 */
export interface OtelApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; attributes: Readonly<Record<string, string | number | boolean>> },
        context: OtelContext,
      ): OtelSpan
    }
    getSpan(context: OtelContext): OtelSpan | undefined
    setSpan(context: OtelContext, span: OtelSpan): OtelContext
    setSpanContext(context: OtelContext, spanContext: OtelSpanContext): OtelContext
  }
  readonly context: {
    active(): OtelContext
    with<T>(context: OtelContext, work: () => T): T
  }
  readonly SpanKind: { readonly INTERNAL: number; readonly SERVER: number }
  readonly SpanStatusCode: { readonly ERROR: number }
  readonly TraceFlags: { readonly NONE: number; readonly SAMPLED: number }
  createTraceState(raw: string): unknown
}

/** An OpenTelemetry context. Only the API reads its values. */
export interface OtelContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OtelContext
  deleteValue(key: symbol): OtelContext
}

interface OtelSpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean
}

/** A span. */
export interface OtelSpan {
  spanContext(): OtelSpanContext
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { code: number; message?: string }): unknown
  recordException(error: Error | string): void
  end(): void
}
