import { describe, expect, it } from 'vitest'
import { countersOf, mergeMetrics } from './merge-metrics.ts'

function metricsOf(requests: number, memory: number, label = 'GET /a {x}'): string {
  return `# HELP http_requests_total Completed requests.
# TYPE http_requests_total counter
http_requests_total{route="${label}",status="2xx"} ${requests}
# HELP seconds Duration.
# TYPE seconds histogram
seconds_bucket{le="+Inf"} ${requests}
seconds_sum 0.5
# HELP memory Memory.
# TYPE memory gauge
memory ${memory}
`
}

describe('mergeMetrics', () => {
  it('adds counters and histograms, and labels gauges with their worker', () => {
    const merged = mergeMetrics([
      { worker: 1, text: metricsOf(2, 10) },
      { worker: 2, text: metricsOf(3, 20) },
    ])
    expect(merged).toBe(`# HELP http_requests_total Completed requests.
# TYPE http_requests_total counter
http_requests_total{route="GET /a {x}",status="2xx"} 5
# HELP seconds Duration.
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 5
seconds_sum 1
# HELP memory Memory.
# TYPE memory gauge
memory{worker="1"} 10
memory{worker="2"} 20
`)
  })

  it('keeps samples of only one worker', () => {
    const merged = mergeMetrics([
      { worker: 1, text: metricsOf(2, 10, 'GET /a') },
      { worker: 2, text: metricsOf(3, 20, 'GET /b') },
    ])
    expect(merged).toContain('http_requests_total{route="GET /a",status="2xx"} 2\n')
    expect(merged).toContain('http_requests_total{route="GET /b",status="2xx"} 3\n')
  })

  it('keeps the counters of a worker that has exited, but not its gauges', () => {
    const retired = countersOf(metricsOf(7, 10))
    expect(retired).not.toContain('memory')
    const merged = mergeMetrics([
      { worker: null, text: retired },
      { worker: 2, text: metricsOf(3, 20) },
    ])
    expect(merged).toContain('status="2xx"} 10\n')
    expect(merged).toContain('memory{worker="2"} 20\n')
  })
})
