/** Shows the smallest agent: one input value, one output value. `plan` calls it, and so can any other client. */
import { createAgent } from '@sdk/server'
import { z } from 'zod'

/** The hours that a task takes, by priority. */
const HOURS: Readonly<Record<number, number>> = { 1: 2, 2: 1, 3: 0.5 }

const task = z.object({ id: z.number(), title: z.string(), priority: z.number().int().min(1).max(3) })

export default createAgent('prioritize', {
  description: 'Divides tasks into those for now and those for later',
  input: z.object({ tasks: z.array(task).max(50), hours: z.number().min(0.5).max(24) }),
  output: z.object({ now: z.array(task), later: z.array(task) }),
  handler(ctx, { tasks, hours }) {
    ctx.log.info('prioritizing', { tasks: tasks.length, hours })
    const [now, later]: [typeof tasks, typeof tasks] = [[], []]
    let left = hours
    for (const one of tasks.toSorted((a, b) => a.priority - b.priority)) {
      const needed = HOURS[one.priority] ?? 1
      ;(needed <= left ? now : later).push(one)
      if (needed <= left) left -= needed
    }
    return { now, later }
  },
})
