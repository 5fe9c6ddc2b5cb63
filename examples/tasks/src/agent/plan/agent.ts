/** Shows an agent that streams typed chunks, reads the signed-in user, and calls a second agent with `ctx.call`. */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, createAgent } from '@sdk/server'
import { z } from 'zod'
import { openTasksOf } from '../../api/tasks.ts'
import prioritize from '../prioritize/index.ts'
import { suggestionsFor, writePlan } from './write-plan.ts'

/** One chunk: a completed step, a part of the response, or a suggested task. */
const chunk = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), text: z.string() }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('suggestion'), title: z.string(), priority: z.number() }),
])

export default createAgent('plan', {
  description: 'Plans the day of the signed-in user from their open tasks',
  input: z.object({ hours: z.number().min(0.5).max(24).default(4) }),
  output: chunk, // the schema of one chunk, because the handler streams
  async *handler(ctx, { hours }): AsyncGenerator<z.input<typeof chunk>> {
    const user = await ctx.auth?.getUser()
    if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in to plan your day')

    yield { kind: 'step', text: 'Reading your open tasks' }
    const { tasks, total } = await openTasksOf(user.id)

    const asked = total > tasks.length ? `the ${tasks.length} most important of ${total}` : `all ${total}`
    yield { kind: 'step', text: `Asking the agent “prioritize” about ${asked}` }
    const { now } = await ctx.call(prioritize, { tasks, hours })

    yield { kind: 'step', text: 'Writing your plan' }
    for (const text of writePlan({ name: user.name, hours, now, later: total - now.length })) {
      await pause(40, undefined, { signal: ctx.signal }) // simulates a slow model; aborted when the client disconnects
      yield { kind: 'text', text }
    }
    for (const suggestion of suggestionsFor(now)) yield { kind: 'suggestion', ...suggestion }
  },
})
