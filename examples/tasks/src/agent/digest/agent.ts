/** Shows a schedule: every morning, a run writes into the chat how many tasks were finished the day before. */
import { createAgent } from '@sdk/server'
import { z } from 'zod'
import { LOBBY } from '../../api/chat.ts'
import { keepMessage } from '../../api/messages.ts'
import { countFinishedTasks } from '../../api/tasks.ts'

export default createAgent('digest', {
  description: 'Writes into the chat how many tasks were finished yesterday',
  durable: true,
  schedule: '0 7 * * *',
  output: z.object({ finished: z.number() }),
  async handler(ctx) {
    const day = await ctx.step('day', () => (ctx.run.scheduledAt ?? new Date()).toISOString().slice(0, 10))
    const finished = await ctx.step('count', () => countFinishedTasks(day))
    if (finished === 0) return { finished }
    const text = `Yesterday, ${finished === 1 ? 'one task was' : `${finished} tasks were`} finished.`
    // The key of the day allows one message a day, even if a step runs twice or somebody starts another run.
    const said = { key: `digest ${day}`, userId: 'digest', name: 'Daily digest', text }
    await ctx.step('write', async () => {
      const message = await keepMessage(said)
      await ctx.publish(LOBBY, message)
    })
    return { finished }
  },
})
