import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type * as Api from '@opentelemetry/api'
import type * as ContextHooks from '@opentelemetry/context-async-hooks'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { nodeArguments } from '@sdk/test-kit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromWebRequest } from '../app/fetch-adapter.ts'
import { RequestContext } from '../context/context.ts'
import { toNestedRequest } from '../endpoint/nested-request.ts'
import { createRunNested } from '../endpoint/nested-run.ts'
import type { OtelApi } from './otel-api.ts'
import { createTracer, startRequestSpan, type Tracer } from './otel.ts'
import { continueTrace } from './trace.ts'

// Vitest resolves the entry for bundlers, which Node cannot load, so it is replaced with the CommonJS entry.
const require = createRequire(import.meta.url)
const entry = require.resolve('@opentelemetry/api')
const loadable = entry.replace('/build/esm/', '/build/src/')
const api = require(loadable) as typeof Api
require.cache[entry] = require.cache[loadable]
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks') as typeof ContextHooks
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-base') as typeof Sdk

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

afterEach(() => {
  api.trace.disable()
  api.context.disable()
})

function record() {
  const exporter = new InMemorySpanExporter()
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const named = (name: string) => {
    const span = exporter.getFinishedSpans().find((one) => one.name === name)
    if (span === undefined) throw new Error(`no span ${name}`)
    return span
  }
  return { exporter, named }
}

async function readyTracer(): Promise<Tracer> {
  const tracer = createTracer(async () => api)
  await tracer.ready()
  return tracer
}

const request = (tracer: Tracer, traceparent: string | null = null, tracestate: string | null = null) =>
  startRequestSpan(tracer, {
    route: 'GET /api/reports/:id',
    method: 'GET',
    target: '/api/reports/7',
    isSecure: false,
    trace: continueTrace(traceparent, tracestate),
  })

describe('createTracer', () => {
  it('does nothing and loads nothing without a provider', async () => {
    const load = vi.fn<() => Promise<unknown>>(async () => api)
    const tracer = createTracer(load)
    await tracer.ready()
    expect(request(tracer)).toBeNull()
    expect(load).not.toHaveBeenCalled()
  })

  it('does nothing if the package is missing', async () => {
    record()
    const tracer = createTracer(() => Promise.reject(new Error('ERR_MODULE_NOT_FOUND')))
    await tracer.ready()
    expect(request(tracer)).toBeNull()
  })

  it('has a type that is compatible with the package', () => {
    const needed: OtelApi = api
    expect(needed).toBe(api)
  })

  it('loads the installed package', async () => {
    const args = await nodeArguments(join(import.meta.dirname, 'otel.ts'))
    const program = `
      import { trace } from '@opentelemetry/api'
      import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
      import { createTracer } from ${JSON.stringify(args.pop())}
      trace.setGlobalTracerProvider(
        new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] }),
      )
      const tracer = createTracer()
      await tracer.ready()
      tracer.start('GET /api/status').end()`
    const flags = [...args, '--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname })
    expect(stdout).toContain("name: 'GET /api/status'")
  })

  it('uses a provider that is registered later', async () => {
    const tracer = await readyTracer()
    expect(request(tracer)).toBeNull()
    const { exporter } = record()
    await tracer.ready()
    request(tracer)?.end()
    expect(exporter.getFinishedSpans()).toHaveLength(1)
  })

  it('creates one span per request, named by its route, with the HTTP attributes', async () => {
    const { exporter } = record()
    request(await readyTracer())?.end({ status: 200 })
    expect(exporter.getFinishedSpans()).toMatchObject([
      {
        name: 'GET /api/reports/:id',
        kind: api.SpanKind.SERVER,
        parentSpanContext: undefined,
        status: { code: api.SpanStatusCode.UNSET },
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/api/reports/:id',
          'url.path': '/api/reports/7',
          'url.scheme': 'http',
          'http.response.status_code': 200,
        },
      },
    ])
  })

  it('continues the trace of the caller', async () => {
    const { exporter } = record()
    const span = request(await readyTracer(), `00-${TRACE}-${CALLER}-01`, 'rojo=1')
    span?.end({ status: 200 })
    expect(span?.traceId).toBe(TRACE)
    const [finished] = exporter.getFinishedSpans()
    expect(finished?.spanContext()).toMatchObject({ traceId: TRACE, spanId: span?.spanId })
    expect(finished?.spanContext().traceState?.serialize()).toBe('rojo=1')
    expect(finished?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: CALLER, isRemote: true })
  })

  it('does not record a request that the caller does not sample', async () => {
    const { exporter } = record()
    request(await readyTracer(), `00-${TRACE}-${CALLER}-00`)?.end()
    expect(exporter.getFinishedSpans()).toEqual([])
  })

  it.each([
    [404, undefined, undefined, api.SpanStatusCode.UNSET],
    [503, undefined, '503', api.SpanStatusCode.ERROR],
    [500, new RangeError('too far'), 'RangeError', api.SpanStatusCode.ERROR],
  ])('records the outcome: %i %s', async (status, error, type, code) => {
    const { named } = record()
    request(await readyTracer())?.end({ status, error })
    const span = named('GET /api/reports/:id')
    expect(span.attributes['error.type']).toBe(type)
    expect(span.status.code).toBe(code)
    expect(span.events.map(({ name }) => name)).toEqual(error === undefined ? [] : ['exception'])
  })

  it('creates a child span for each nested call, including concurrent ones', async () => {
    const { named } = record()
    const tracer = await readyTracer()
    const outer = request(tracer)
    const inner = ['a', 'b'].map((name) => tracer.start(`POST /agent/${name}`, { parent: outer }))
    for (const span of inner) span?.end()
    outer?.end({ status: 200 })
    for (const name of ['POST /agent/a', 'POST /agent/b']) {
      expect(named(name).parentSpanContext?.spanId).toBe(outer?.spanId)
      expect(named(name).kind).toBe(api.SpanKind.INTERNAL)
    }
  })

  it('nests spans of other libraries, and calls inside of them', async () => {
    const { named } = record()
    const tracer = await readyTracer()
    const outer = request(tracer)
    await outer?.run(async () => {
      await Promise.resolve()
      await api.trace.getTracer('driver').startActiveSpan('SELECT', async (query) => {
        await Promise.resolve()
        tracer.start('POST /agent/a', { parent: outer })?.end()
        query.end()
      })
    })
    outer?.end()
    expect(named('SELECT').parentSpanContext?.spanId).toBe(outer?.spanId)
    expect(named('POST /agent/a').parentSpanContext?.spanId).toBe(named('SELECT').spanContext().spanId)
  })

  it.each([
    ['continues the trace of a nested request', { traceparent: `00-${TRACE}-${CALLER}-01` }, CALLER],
    ['creates a child span for a nested request without a trace', {}, null],
    ['creates a child span for a nested request with an invalid trace', { traceparent: 'invalid' }, null],
  ])('%s', async (_case, headers, parent) => {
    const { named } = record()
    const tracer = await readyTracer()
    const outer = request(tracer)
    const caller = new RequestContext(fromWebRequest(new Request('http://localhost/')), 'POST /api/mcp', {
      models: null,
    } as never)
    caller.span = outer
    const incoming = toNestedRequest(caller.incoming, { method: 'GET', target: '/', headers })
    const nested = { route: 'GET /api/tool', input: null, caller, incoming }
    await outer?.run(() => createRunNested(tracer)(nested, async () => null))
    outer?.end()
    expect(named('GET /api/tool').parentSpanContext?.spanId).toBe(parent ?? outer?.spanId)
  })

  it('creates a child of an active HTTP span', async () => {
    const { named } = record()
    const tracer = await readyTracer()
    api.trace.getTracer('http').startActiveSpan('GET', (span) => {
      request(tracer, `00-${TRACE}-${CALLER}-01`)?.end()
      span.end()
    })
    expect(named('GET /api/reports/:id').parentSpanContext?.spanId).toBe(named('GET').spanContext().spanId)
    expect(named('GET /api/reports/:id').kind).toBe(api.SpanKind.INTERNAL)
  })

  it('keeps the span active for all chunks of a stream', async () => {
    record()
    const tracer = await readyTracer()
    const span = request(tracer)
    const seen: (string | undefined)[] = []
    const look = () => seen.push(api.trace.getActiveSpan()?.spanContext().spanId)
    async function* chunks() {
      try {
        look()
        yield 1
        await Promise.resolve()
        look()
        yield 2
      } finally {
        look()
      }
    }
    const read: number[] = []
    for await (const chunk of span?.runEach(chunks()) ?? []) {
      read.push(chunk)
      if (chunk === 2) break
    }
    expect(read).toEqual([1, 2])
    expect(seen).toEqual([span?.spanId, span?.spanId, span?.spanId])
    const list: string[] = []
    for await (const chunk of span?.runEach(['a', 'b']) ?? []) list.push(chunk)
    expect(list).toEqual(['a', 'b'])
  })
})
