/** Calls `step` at a rate per second until it returns that it is done. Delays are not caught up. */
export function pace(perSecond: number, step: () => 'done' | 'wait' | 'next'): Promise<void> {
  let started = performance.now()
  let steps = 0
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const due = ((performance.now() - started) / 1000) * perSecond
      while (steps < due) {
        const outcome = step()
        if (outcome === 'wait') {
          started = performance.now() - (steps / perSecond) * 1000
          return
        }
        if (outcome === 'done') {
          clearInterval(timer)
          return resolve()
        }
        steps++
      }
    }, 4)
  })
}
