/** Shows an agent that needs approval: its run waits until the user decides, even if the server restarts meanwhile. */
import { ApiError, createAgent } from '@sdk/server'
import { z } from 'zod'
import { tasks } from '../../api/tasks.ts'

export default createAgent('tidy', {
  description: 'Deletes the finished tasks of the signed-in user, if they approve',
  durable: true,
  output: z.object({ deleted: z.number() }),
  events: { approval: z.object({ ok: z.boolean() }) },
  async handler(ctx) {
    const done = await ctx.step('find', async () => {
      const { data } = await ctx.rows(tasks).list({ done: true, limit: 20 })
      return data.map(({ id, title }) => ({ id, title }))
    })
    if (done.length === 0) return { deleted: 0 }
    const { ok } = await ctx.wait('approval', { ask: done, timeout: '7d' })
    if (!ok) return { deleted: 0 }
    for (const { id } of done) await ctx.step(`delete ${id}`, () => ctx.rows(tasks).delete(id).catch(ignoreMissing))
    return { deleted: done.length }
  },
})

/** A step may run twice, and its row may already be deleted. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
}
