import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app/app.ts'
import { createAgent } from '../define/agent.ts'
import { createRouter } from '../define/router.ts'
import type { StartedRun } from './start.ts'

const report = createAgent('report', {
  durable: true,
  input: z.object({ id: z.number(), copies: z.number().default(1) }),
  handler: () => null,
})
const plain = createAgent('plain', { input: z.object({ id: z.number() }), handler: () => null })

describe('start', () => {
  it('takes the input of a durable agent', () => {
    const app = createApp({ agents: [report] })
    expectTypeOf(app.start(report, { id: 1 }, { at: new Date(), key: 'a', as: 'b', thread: 'c' })).toEqualTypeOf<
      Promise<StartedRun>
    >()
    // @ts-expect-error -- the input has another type
    void app.start(report, { id: '1' })
    // @ts-expect-error -- only durable agents have runs
    void app.start(plain, { id: 1 })
    // @ts-expect-error -- there is no such option
    void app.start(report, { id: 1 }, { delay: 1 })
  })

  it('is available in every context and in onStart', () => {
    createRouter()
      .on('POST /api/go', async (ctx) => (await ctx.start(report, { id: 1 })).id)
      .onStart((app) => void app.start(report, { id: 1 }))
    createAgent('parent', {
      durable: true,
      handler: async (ctx) => {
        expectTypeOf(await ctx.start(report, { id: 1 })).toEqualTypeOf<StartedRun>()
        // @ts-expect-error -- the input has another type
        await ctx.start(report, {})
      },
    })
  })

  it('is available in transactions, and in steps that are transactions', () => {
    const parent = createAgent('parent', {
      durable: true,
      async handler(ctx) {
        await ctx.transaction((tx) => tx.start(report, { id: 1 }))
        const value = await ctx.step('a', async ({ tx }) => (await tx.start(report, { id: 1 })).id, {
          transaction: true,
        })
        expectTypeOf(value).toEqualTypeOf<string>()
        // @ts-expect-error -- only a step with { transaction: true } has a transaction
        await ctx.step('b', ({ tx }) => tx)
      },
    })
    expectTypeOf(parent.name).toEqualTypeOf<'parent'>()
  })
})
