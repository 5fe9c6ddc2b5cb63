import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Metrics } from '../observe/metrics.ts'

/** How often the event loop delay is sampled, in ms. */
const RESOLUTION = 20

/** Registers process metrics: memory, CPU time, and the utilization and lag of the event loop. */
export function showProcess(metrics: Pick<Metrics, 'show'>): { close(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  let seen = performance.eventLoopUtilization()
  const gauge = (name: string, help: string, read: () => number): void => metrics.show({ name, help, read })
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const startTime = performance.timeOrigin / 1_000
  gauge('process_start_time_seconds', 'Start time of the process, in seconds since the Unix epoch.', () => startTime)
  metrics.show({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time, in seconds.',
    type: 'counter',
    read: cpu,
  })
  gauge('process_resident_memory_bytes', 'Resident memory of the process, in bytes.', () => process.memoryUsage.rss())
  gauge('nodejs_heap_size_used_bytes', 'Used JavaScript heap memory, in bytes.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_eventloop_utilization', 'Fraction of time the event loop has been busy since the last scrape.', () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, seen)
    seen = now
    return utilization
  })
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    '99th percentile of the event loop delay since the last scrape, in seconds.',
    () => {
      // The histogram includes the sampling interval itself.
      const late = delay.percentile(99) / 1e9 - RESOLUTION / 1_000
      delay.reset()
      return Math.max(0, late)
    },
  )
  return { close: () => void delay.disable() }
}
