import { setTimeout as pause } from 'node:timers/promises'
import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('plan', {
  description: 'Plans the steps to a goal, one at a time',
  input: z.object({ goal: z.string().trim().min(1).max(200) }),
  output: z.object({ step: z.string() }), // the schema of one chunk, because the handler streams
  async *handler(ctx, { goal }) {
    ctx.log.info('planning', { goal })
    for (const step of stepsTo(goal)) {
      await pause(250, undefined, { signal: ctx.signal }) // simulates a model; stops when the client disconnects
      yield { step }
    }
  },
})

/** Replace this with your model. */
function stepsTo(goal: string): string[] {
  return [
    `Write down what “${goal}” looks like when it is done.`,
    'Find the smallest part that is useful on its own.',
    'Do that part today, and show it to someone.',
    'Keep what they liked, and choose the next part.',
  ]
}
