import type { RequestRecord } from '../log/access-line.ts'
import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMetrics, type Metrics } from './metrics.ts'

const RECORD: RequestRecord = {
  time: 0,
  requestId: 'r',
  method: 'POST',
  route: 'POST /agent/summarize',
  target: '/agent/summarize',
  status: 200,
  ms: 3,
  bytes: 100,
  userId: null,
  traceId: null,
  aborted: false,
}

describe('createMetrics', () => {
  it('counts by route, method and status class', () => {
    const metrics = createMetrics()
    metrics.add(RECORD)
    metrics.add({ ...RECORD, status: 201 })
    metrics.add({ ...RECORD, status: 503, aborted: true })
    metrics.add({ ...RECORD, route: null, method: 'GET', target: '/a', status: 404 })
    metrics.add({ ...RECORD, route: null, method: 'GET', target: '/b', status: 404 })
    metrics.add({ ...RECORD, route: null, method: 'BREW', status: 405 })
    expect(samplesOf(metrics)).toMatchObject({
      'http_requests_total{"route":"POST /agent/summarize","method":"POST","status":"2xx"}': '2',
      'http_requests_total{"route":"POST /agent/summarize","method":"POST","status":"5xx"}': '1',
      'http_requests_total{"route":"","method":"GET","status":"4xx"}': '2',
      'http_requests_total{"route":"","method":"other","status":"4xx"}': '1',
      'http_response_bytes_total{"route":"POST /agent/summarize"}': '300',
      'http_requests_aborted_total{"route":"POST /agent/summarize"}': '1',
    })
  })

  it('counts model calls and tokens with a bounded number of labels', () => {
    const metrics = createMetrics()
    expect(metrics.text()).not.toContain('sdk_model')
    const call = { route: 'POST /agent/chat', finishReason: 'stop' }
    for (let n = 0; n < 1_000; n++)
      metrics.addModelCall({
        ...call,
        model: `model-${n}`,
        tokens: { input: 10, cached: 4, output: 2, reasoning: 1 },
        finishReason: n === 0 ? 'stop' : `reason ${n}`,
      })
    metrics.addModelCall({ ...call, model: 'model-0', tokens: null, finishReason: 'error' })
    const samples = samplesOf(metrics)
    expect(samples).toMatchObject({
      'sdk_model_calls_total{"route":"POST /agent/chat","model":"model-0","finish_reason":"stop"}': '1',
      'sdk_model_calls_total{"route":"POST /agent/chat","model":"model-0","finish_reason":"error"}': '1',
      'sdk_model_calls_total{"route":"POST /agent/chat","model":"other","finish_reason":"other"}': '900',
      'sdk_model_tokens_total{"route":"POST /agent/chat","model":"model-0","direction":"cached"}': '4',
      'sdk_model_tokens_total{"route":"POST /agent/chat","model":"other","direction":"input"}': '9000',
    })
    expect(Object.keys(samples).filter((name) => name.startsWith('sdk_model_calls_total'))).toHaveLength(102)
  })

  it('counts durations in cumulative buckets', () => {
    const metrics = createMetrics()
    for (const ms of [0.2, 1, 1.01, 700, 90_000]) metrics.add({ ...RECORD, ms })
    const samples = samplesOf(metrics)
    const bucket = (le: string) =>
      samples[`http_request_duration_seconds_bucket{"route":"${RECORD.route}","le":"${le}"}`]
    expect(['0.001', '0.0025', '0.5', '1', '60', '+Inf'].map(bucket)).toEqual(['2', '3', '3', '4', '4', '5'])
    expect(samples[`http_request_duration_seconds_count{"route":"${RECORD.route}"}`]).toBe('5')
    expect(Number(samples[`http_request_duration_seconds_sum{"route":"${RECORD.route}"}`])).toBeCloseTo(90.70221)
  })

  it('writes one header per metric, before its samples', () => {
    const metrics = createMetrics()
    metrics.add(RECORD)
    metrics.add({ ...RECORD, route: 'GET /api/status', method: 'GET' })
    metrics.show({ name: 'sockets_open', help: 'Open\nsockets \\ now.', read: () => 4 })
    const text = metrics.text()
    expect(text).toContain('# HELP sockets_open Open\\nsockets \\\\ now.\n# TYPE sockets_open gauge\nsockets_open 4\n')
    expect(text.match(/^# TYPE (\S+)/gm)).toEqual([
      '# TYPE http_requests_total',
      '# TYPE http_request_duration_seconds',
      '# TYPE http_response_bytes_total',
      '# TYPE http_requests_aborted_total',
      '# TYPE sockets_open',
    ])
    expect(text.endsWith('\n')).toBe(true)
  })

  it('writes valid Prometheus text for any route name', () => {
    const text = fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('"', '\\', '\n', '\\n', '"} 1\nx 2'))
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }), (routes) => {
        const metrics = createMetrics()
        for (const route of routes) metrics.add({ ...RECORD, route, bytes: 7 })
        const samples = samplesOf(metrics)
        for (const route of routes)
          expect(samples[`http_response_bytes_total{"route":${JSON.stringify(route)}}`]).toBe('7')
      }),
    )
  })

  it('reads values on request and omits those that fail', () => {
    const metrics = createMetrics()
    let open = 1
    metrics.show({ name: 'a', help: 'A.', read: () => open })
    metrics.show({ name: 'b', help: 'B.', read: fail })
    metrics.show({ name: 'c', help: 'C.', type: 'counter', read: () => Infinity })
    open = 2
    expect(samplesOf(metrics)).toEqual({ a: '2', c: '+Inf' })
  })

  it('throws for an invalid or duplicate name', () => {
    const metrics = createMetrics()
    metrics.show({ name: 'a', help: '', read: () => 1 })
    expect(() => metrics.show({ name: 'a', help: '', read: () => 1 })).toThrow('the metric a is already registered')
    expect(() => metrics.show({ name: 'open-sockets', help: '', read: () => 1 })).toThrow(TypeError)
  })
})

function fail(): never {
  throw new Error('gone')
}

/** Parses the exposition format by its grammar and unescapes the labels. */
function samplesOf(metrics: Metrics): Record<string, string> {
  const samples: Record<string, string> = {}
  for (const line of metrics.text().split('\n').slice(0, -1)) {
    if (/^# (?:HELP|TYPE) [a-z_]+ /.test(line)) continue
    const match = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\["\\n])*",?)+)\})? (\+Inf|[0-9.e+-]+)$/su.exec(line)
    if (match === null) throw new Error(`not a sample: ${line}`)
    const [, name = '', labels, value = ''] = match
    const pairs = [...(labels ?? '').matchAll(/([a-z_]+)="((?:[^"\\]|\\["\\n])*)"/gsu)].map(([, key, text = '']) => [
      key,
      text.replaceAll(/\\(.)/gsu, (_, mark: string) => (mark === 'n' ? '\n' : mark)),
    ])
    samples[labels === undefined ? name : name + JSON.stringify(Object.fromEntries(pairs))] = value
  }
  return samples
}
