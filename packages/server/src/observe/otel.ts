import type { OtelApi, OtelContext, OtelSpan } from './otel-api.ts'
import type { Trace } from './trace.ts'

/** One piece of recorded work. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Runs work as part of the span: spans begun inside, also by other libraries, are its children. */
  run<T>(work: () => T): T
  /** The same for chunks, which are made while they are sent. */
  runEach<T>(chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T>
  /** Ends the span; what comes after is not recorded. */
  end(outcome?: SpanOutcome): void
}

interface SpanOutcome {
  /** The status of the answer; from 500 on the span has failed. */
  status?: number
  /** What was thrown. */
  error?: unknown
}

interface SpanOptions {
  /** The span that this one is part of. @default none */
  parent?: Span | null
  /** The trace that a caller from outside is in; a span that is already open here comes before it. @default none */
  trace?: Trace
  /** `server` answers a request from outside. @default 'internal' */
  kind?: 'server' | 'internal'
  attributes?: Readonly<Record<string, string | number | boolean>>
}

/** Records spans. */
export interface Tracer {
  /** Does anybody record? */
  isRecording(): boolean
  /** Begins a span; null when nobody records, and then it costs next to nothing. */
  start(name: string, options?: SpanOptions): Span | null
  /** Resolves when all spans are recorded from now on, or nobody is there to record them. */
  ready(): Promise<void>
}

interface RequestSpanOptions {
  /** The route's name, which is the span's too. */
  readonly route: string
  readonly method: string
  /** The path without the query. */
  readonly target: string
  readonly isSecure: boolean
  readonly trace: Trace
}

// Not written out in `import()`: it may be missing, and then a bundler must not fail.
const OTEL_PACKAGE = '@opentelemetry/api'
/** Where every copy of version 1 of the API keeps what is registered. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

/**
 * Spans by `@opentelemetry/api`, if it is installed and a provider is registered, now or later. It is loaded only
 * then: it takes 50 ms and 9 MB, and whoever registers a provider has loaded it already.
 */
export function createTracer(load: () => Promise<unknown> = () => import(/* @vite-ignore */ OTEL_PACKAGE)): Tracer {
  let api: OtelApi | null = null
  let loading: Promise<void> | undefined
  const ready = async (): Promise<void> => {
    if (!hasProvider()) return
    loading ??= load().then(
      (loaded) => void (api = loaded as OtelApi),
      () => {}, // it is optional
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

/** Begins the span of a request, with the names that OpenTelemetry has for HTTP. */
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
  const { parent = null, trace, attributes = {}, kind = 'internal' } = options
  const active = api.context.active()
  const context = parent === null ? startContext(api, active, trace) : parentContext(api, active, parent)
  // Where another library already sees to HTTP, its span is the server's, and ours is a part of it.
  const isServer = kind === 'server' && api.trace.getSpan(active) === undefined
  const started = { kind: isServer ? api.SpanKind.SERVER : api.SpanKind.INTERNAL, attributes }
  const span = api.trace.getTracer('@sdk/server').startSpan(name, started, context)
  return toSpan(api, span, api.trace.setSpan(context, span))
}

function startContext(api: OtelApi, active: OtelContext, trace: Trace | undefined): OtelContext {
  const caller = trace?.parent ?? null
  if (caller === null || api.trace.getSpan(active) !== undefined) return active
  const state = trace?.tracestate ?? null
  return api.trace.setSpanContext(active, {
    traceId: caller.traceId,
    spanId: caller.parentId,
    traceFlags: caller.isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
    isRemote: true,
    ...(state === null ? {} : { traceState: api.createTraceState(state) }),
  })
}

/** A span that the handler opened around a nested call is nearer than the handler's own. */
function parentContext(api: OtelApi, active: OtelContext, parent: Span): OtelContext {
  const inner = api.trace.getSpan(active)
  if (inner?.spanContext().traceId === parent.traceId) return active
  return (parent as RecordedSpan).context
}

/** A span with the place in the trace that it stands for. */
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
