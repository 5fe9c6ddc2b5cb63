import type { Run } from '@sdk/test-kit'

/** Watches the tasks of a page over 50 ms from now on; returns the way to their times in ms. */
export async function watchLongTasks(run: Run): Promise<() => Promise<number[]>> {
  await run(watch, null)
  return () => run(read, null)
}

function watch(): void {
  const tasks: number[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  })
  observer.observe({ type: 'longtask' })
  Object.assign(window, { tasks })
}

/** They are told a little later. */
function read(): Promise<number[]> {
  return new Promise((resolve) => setTimeout(() => resolve(Reflect.get(window, 'tasks') as number[]), 200))
}
