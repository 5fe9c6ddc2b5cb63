import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Metrics } from '../observe/metrics.ts'

/** How often the event loop is looked at, in ms. */
const RESOLUTION = 20

/** Shows what the process itself can tell: its memory, its time, how busy and how late its event loop is. */
export function showProcess(metrics: Pick<Metrics, 'show'>): { close(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  let seen = performance.eventLoopUtilization()
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  metrics.show({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970.',
    read: () => performance.timeOrigin / 1_000,
  })
  metrics.show({ name: 'process_cpu_seconds_total', help: 'CPU time used.', type: 'counter', read: cpu })
  metrics.show({
    name: 'process_resident_memory_bytes',
    help: 'Memory held by the process.',
    read: () => process.memoryUsage.rss(),
  })
  metrics.show({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory in use by JavaScript.',
    read: () => process.memoryUsage().heapUsed,
  })
  metrics.show({
    name: 'nodejs_eventloop_utilization',
    help: 'The part of the time since the last look that the event loop was busy.',
    read() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, seen)
      seen = now
      return utilization
    },
  })
  metrics.show({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'How late timers ran since the last look: 99 of 100 were not later.',
    read() {
      // What is measured is the time between two looks, most of it on purpose.
      const late = delay.percentile(99) / 1e9 - RESOLUTION / 1_000
      delay.reset()
      return Math.max(0, late)
    },
  })
  return { close: () => void delay.disable() }
}
