/**
 * Shows a durable agent that streams typed chunks: its run continues after a reload or a crash. It reads the signed-in
 * user, and calls a second agent with `ctx.call`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createAgent, requireUser } from '@sdk/server'
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

type Chunk = z.input<typeof chunk>

export default createAgent('plan', {
  description: 'Plans the day of the signed-in user from their open tasks',
  durable: true,
  input: z.object({ hours: z.number().min(0.5).max(24).default(4) }),
  output: chunk, // the schema of one chunk, because the handler streams
  async *handler(ctx, { hours }): AsyncGenerator<Chunk> {
    const { id, name } = await requireUser(ctx, 'Sign in to plan your day')

    yield { kind: 'step', text: 'Reading your open tasks' }
    const { tasks, total } = await ctx.step('read', () => openTasksOf(id))

    const asked = total > tasks.length ? `the ${tasks.length} most important of ${total}` : `all ${total}`
    yield { kind: 'step', text: `Asking the agent “prioritize” about ${asked}` }
    const { now } = await ctx.step('prioritize', () => ctx.call(prioritize, { tasks, hours }))

    yield { kind: 'step', text: 'Writing your plan' }
    const plan = { name, hours, now, later: total - now.length }
    yield* ctx.step.stream('write', async function* ({ signal }): AsyncGenerator<Chunk> {
      for (const text of writePlan(plan)) {
        await pause(40, undefined, { signal }) // simulates a slow model; aborted when the run is cancelled
        yield { kind: 'text', text }
      }
    })
    for (const suggestion of suggestionsFor(now)) yield { kind: 'suggestion', ...suggestion }
  },
})
