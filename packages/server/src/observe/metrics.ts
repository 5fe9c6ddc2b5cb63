import type { RequestRecord } from '../log/access-line.ts'
import { familyText, type MetricFamily, type Sample } from './metric-family.ts'
import { ModelCounts, type CountedModelCall } from './model-metrics.ts'

/** A metric whose value is read on each scrape. */
export interface Reading {
  /** The Prometheus name, such as `sockets_open` or `process_cpu_seconds_total`. */
  readonly name: string
  readonly help: string
  /** The metric type. A counter never decreases. @default 'gauge' */
  readonly type?: 'gauge' | 'counter'
  read(): number
}

/** The media type of `Metrics.text()`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Request metrics for Prometheus. */
export interface Metrics {
  /** Counts a request. */
  add(record: RequestRecord): void
  /** Counts a model call. */
  addModelCall(call: CountedModelCall): void
  /** Registers another metric, such as the number of open sockets. */
  show(reading: Reading): void
  /** Returns the metrics of this process in the Prometheus exposition format 0.0.4. */
  text(): string
  /** Merges the metrics of this process with those of others, for `collect`. @default no other processes */
  mergeWith(merge: (own: string) => Promise<string>): void
  /** Returns the metrics of all processes that serve the same address. */
  collect(): string | Promise<string>
}

/**
 * The upper bounds of the duration buckets in seconds, for anything from a JSON response to an agent that streams for a
 * minute.
 */
const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** The methods used as labels. All other methods share one label. */
const LABELLED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/**
 * Creates metrics grouped by route. Labels are route names rather than paths, so their number is bounded. Requests that
 * match no route have the label `route=""`.
 */
export function createMetrics(): Metrics {
  const routes = new Map<string, RouteCounts>()
  const readings = new Map<string, Reading>()
  const models = new ModelCounts()
  let mergeAll: (own: string) => string | Promise<string> = (own) => own
  const metrics: Metrics = {
    addModelCall: (call) => models.add(call),
    add(record) {
      const route = record.route ?? ''
      let counts = routes.get(route)
      if (counts === undefined) routes.set(route, (counts = new RouteCounts(route)))
      counts.add(record)
    },
    show(reading) {
      if (!METRIC_NAME.test(reading.name)) throw new TypeError(`invalid metric name ${JSON.stringify(reading.name)}`)
      if (readings.has(reading.name)) throw new TypeError(`the metric ${reading.name} is already registered`)
      readings.set(reading.name, reading)
    },
    text() {
      const families = [
        ...requestFamilies([...routes.values()]),
        ...models.families(),
        ...Array.from(readings.values(), toFamily),
      ]
      return families.map(familyText).join('')
    },
    mergeWith(merge) {
      mergeAll = merge
    },
    collect: () => mergeAll(metrics.text()),
  }
  return metrics
}

class RouteCounts {
  readonly route: string
  /** The number of responses by method and status class. The class 1xx is at index 1. */
  readonly answers = new Map<string, number[]>()
  /** The number of requests in each bucket, not cumulative. The last bucket is for requests that exceed all bounds. */
  readonly durations: number[] = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0)
  seconds = 0
  bytes = 0
  aborted = 0

  constructor(route: string) {
    this.route = route
  }

  add({ method, status, ms, bytes, aborted }: RequestRecord): void {
    const label = LABELLED_METHODS.has(method) ? method : 'other'
    let classes = this.answers.get(label)
    if (classes === undefined) this.answers.set(label, (classes = [0, 0, 0, 0, 0, 0]))
    increment(classes, Math.min(5, Math.max(0, Math.floor(status / 100))))
    const seconds = ms / 1_000
    let bucket = 0
    while (bucket < DURATION_BOUNDS.length && seconds > (DURATION_BOUNDS[bucket] ?? 0)) bucket++
    increment(this.durations, bucket)
    this.seconds += seconds
    this.bytes += bytes
    if (aborted) this.aborted++
  }
}

function increment(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1
}

function requestFamilies(routes: readonly RouteCounts[]): MetricFamily[] {
  const toCounter = (name: string, help: string, read: (counts: RouteCounts) => number): MetricFamily => {
    const samples = routes.map((counts) => ({ labels: { route: counts.route }, value: read(counts) }))
    return { name, type: 'counter', help, samples }
  }
  return [
    {
      name: 'http_requests_total',
      type: 'counter',
      help: 'Completed requests.',
      samples: routes.flatMap(answerSamples),
    },
    {
      name: 'http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the request to the end of its response, in seconds.',
      samples: routes.flatMap(durationSamples),
    },
    toCounter('http_response_bytes_total', 'Total size of response bodies, in bytes.', ({ bytes }) => bytes),
    toCounter(
      'http_requests_aborted_total',
      'Requests whose client disconnected before the end of the response.',
      ({ aborted }) => aborted,
    ),
  ]
}

function answerSamples({ route, answers }: RouteCounts): Sample[] {
  return [...answers].flatMap(([method, classes]) =>
    classes.flatMap((value, at) => (value === 0 ? [] : [{ labels: { route, method, status: `${at}xx` }, value }])),
  )
}

function durationSamples({ route, durations, seconds }: RouteCounts): Sample[] {
  let value = 0
  const buckets = durations.map((count, at) => {
    value += count
    return { suffix: '_bucket', labels: { route, le: String(DURATION_BOUNDS[at] ?? '+Inf') }, value }
  })
  const labels = { route }
  return [...buckets, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value }]
}

/** Reads a metric. If reading fails, the metric has no samples, but all other metrics are still read. */
function toFamily({ name, help, type = 'gauge', read }: Reading): MetricFamily {
  try {
    return { name, help, type, samples: [{ value: read() }] }
  } catch {
    return { name, help, type, samples: [] }
  }
}
