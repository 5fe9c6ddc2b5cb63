import type { QuietPage } from '@sdk/test-kit'

/** The cost of work in a page, in ms. */
export interface PageCost {
  readonly took: number
  /** The longest task; 0 if none was over 50 ms. */
  readonly longest: number
  /** The time of long tasks beyond their first 50 ms. */
  readonly blocked: number
  /** The CPU time of the main thread: total, and in scripts. */
  readonly busy: number
  readonly script: number
}

/** Runs work in a page, and measures it. */
export async function costOf<T>(page: QuietPage, work: () => Promise<T>): Promise<T & PageCost> {
  // The CPU time of the thread: it does not depend on other load.
  await page.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.run(watchTasks, null)
  const before = await readMetrics(page)
  const started = performance.now()
  const outcome = await work()
  const took = performance.now() - started
  const after = await readMetrics(page)
  const tasks = await page.run(readTasks, null)
  const spent = (name: string): number => Math.round((after.get(name) ?? 0) - (before.get(name) ?? 0))
  return {
    ...outcome,
    took: Math.round(took),
    longest: Math.round(Math.max(0, ...tasks)),
    blocked: Math.round(tasks.reduce((sum, duration) => sum + Math.max(0, duration - 50), 0)),
    busy: spent('TaskDuration'),
    script: spent('ScriptDuration'),
  }
}

async function readMetrics(page: QuietPage): Promise<Map<string, number>> {
  const { metrics } = (await page.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
  return new Map(metrics.map(({ name, value }) => [name, value * 1000]))
}

function watchTasks(): void {
  const tasks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  })
  observer.observe({ type: 'longtask' })
  Object.assign(window, { tasks })
}

/** Long tasks are reported with a delay. */
function readTasks(): Promise<number[]> {
  return new Promise((resolve) => setTimeout(() => resolve(Reflect.get(window, 'tasks') as number[]), 200))
}
