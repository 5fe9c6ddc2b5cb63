import { describe, expect, it } from 'vitest'
import { createMetrics } from '../observe/metrics.ts'
import { showProcess } from './process-metrics.ts'

describe('showProcess', () => {
  it('reports the resource usage of the process', () => {
    const metrics = createMetrics()
    const shown = showProcess(metrics)
    const text = metrics.text()
    shown.close()
    const value = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
    expect(Math.abs(value('process_start_time_seconds') - (Date.now() / 1_000 - process.uptime()))).toBeLessThan(5)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(value('nodejs_heap_size_used_bytes'))
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(value('nodejs_eventloop_utilization')).toBeLessThanOrEqual(1)
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  })
})
