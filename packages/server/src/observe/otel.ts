import { iterateIn } from './iterate-in.ts'
import type { OtelApi, OtelContext, OtelSpan } from './otel-api.ts'
import type { Trace } from './trace.ts'

/** A recorded unit of work. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /**
   * Runs `work` within the span. Spans that `work` starts, including those from other libraries, become children of
   * this span.
   */
  run<T>(work: () => T): T
  /** Wraps an iterable so that its source runs within the span. The chunks do not change. */
  runEach<T>(chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T>
  /** Ends the span. Later changes are not recorded. */
  end(outcome?: SpanOutcome): void
}

interface SpanOutcome {
  /** The response status. A status of 500 or above marks the span as failed. */
  status?: number
  /** The thrown value. */
  error?: unknown
}

interface SpanOptions {
  /** The parent span. @default none */
  parent?: Span | null
  /** The trace of a remote caller. An active span in this process takes precedence, unless `isContinued`. @default none */
  trace?: Trace
  /** Whether the span continues `trace` even if another span is active. @default false */
  isContinued?: boolean
  /** The kind of span: `server` for an external request. @default 'internal' */
  kind?: 'server' | 'internal'
  attributes?: Readonly<Record<string, string | number | boolean>>
}

/** A tracer that records spans. */
export interface Tracer {
  /** Returns whether a provider is registered. */
  isRecording(): boolean
  /** Starts a span. Returns null, at almost no cost, if nothing is recorded. */
  start(name: string, options?: SpanOptions): Span | null
  /** Resolves when spans can be recorded, or immediately if no provider is registered. */
  ready(): Promise<void>
}

interface RequestSpanOptions {
  /** The name of the route, which is also the name of the span. */
  readonly route: string
  readonly method: string
  /** The path without the query string. */
  readonly target: string
  readonly isSecure: boolean
  readonly trace: Trace
}

// Not inlined into `import()`, because bundlers would then fail to build an app without the package.
const OTEL_PACKAGE = '@opentelemetry/api'
/** The global key under which every 1.x copy of the API registers its providers. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

/**
 * Creates a tracer that uses `@opentelemetry/api`, an optional dependency. Loading the package takes 50 ms and 9 MB, so
 * it is loaded only after a provider is registered. By then, the provider has already loaded it.
 */
export function createTracer(load: () => Promise<unknown> = () => import(/* @vite-ignore */ OTEL_PACKAGE)): Tracer {
  let api: OtelApi | null = null
  let loading: Promise<void> | undefined
  const ready = async (): Promise<void> => {
    if (!hasProvider()) return
    loading ??= load().then(
      (loaded) => void (api = loaded as OtelApi),
      () => {}, // the package is optional
    )
    await loading
  }
  void ready()
  return {
    isRecording: hasProvider,
    ready,
    start(name, options = {}) {
      if (!hasProvider()) return null
      if (api !== null) return startSpan(api, name, options)
      void ready()
      return null
    },
  }
}

function hasProvider(): boolean {
  return (globalThis as { [REGISTRY]?: { trace?: object } })[REGISTRY]?.trace !== undefined
}

/** Starts the span for a request, following OpenTelemetry's semantic conventions for HTTP. */
export function startRequestSpan(
  tracer: Tracer,
  { route, method, target, isSecure, trace }: RequestSpanOptions,
): Span | null {
  return tracer.start(route, {
    kind: 'server',
    trace,
    attributes: {
      'http.request.method': method,
      'http.route': route.slice(route.indexOf(' ') + 1),
      'url.path': target,
      'url.scheme': isSecure ? 'https' : 'http',
    },
  })
}

function startSpan(api: OtelApi, name: string, options: SpanOptions): Span {
  const { parent = null, attributes = {}, kind = 'internal' } = options
  const active = api.context.active()
  const context = parent === null ? startContext(api, active, options) : parentContext(api, active, parent)
  // If another library already instruments HTTP, its span is the server span, and ours is internal.
  const isServer = kind === 'server' && api.trace.getSpan(active) === undefined
  const started = { kind: isServer ? api.SpanKind.SERVER : api.SpanKind.INTERNAL, attributes }
  const span = api.trace.getTracer('@sdk/server').startSpan(name, started, context)
  return toSpan(api, span, api.trace.setSpan(context, span))
}

function startContext(api: OtelApi, active: OtelContext, { trace, isContinued = false }: SpanOptions): OtelContext {
  const caller = trace?.parent ?? null
  if (caller === null || (!isContinued && api.trace.getSpan(active) !== undefined)) return active
  const state = trace?.tracestate ?? null
  return api.trace.setSpanContext(active, {
    traceId: caller.traceId,
    spanId: caller.parentId,
    traceFlags: caller.isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
    isRemote: true,
    ...(state === null ? {} : { traceState: api.createTraceState(state) }),
  })
}

/**
 * Returns the parent context. If the handler opened a span around a nested call, that span is the parent instead of the
 * handler's own span.
 */
function parentContext(api: OtelApi, active: OtelContext, parent: Span): OtelContext {
  const inner = api.trace.getSpan(active)
  if (inner?.spanContext().traceId === parent.traceId) return active
  return (parent as RecordedSpan).context
}

/** A span with its context. */
type RecordedSpan = Span & { readonly context: OtelContext }

function toSpan(api: OtelApi, span: OtelSpan, context: OtelContext): RecordedSpan {
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

/** Records the outcome of a span. Only errors and server error statuses mark it as failed; a 404 does not. */
function recordOutcome(api: OtelApi, span: OtelSpan, { status, error }: SpanOutcome): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status)
  if (error === undefined && (status === undefined || status < 500)) return
  span.setAttribute('error.type', error instanceof Error ? error.name : String(status ?? '_OTHER'))
  if (error instanceof Error || typeof error === 'string') span.recordException(error)
  span.setStatus({ code: api.SpanStatusCode.ERROR })
}
