import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from './agent.ts'
import type { Context } from '../context/context.ts'
import { createRouter } from './router.ts'

const output = z.object({ mood: z.enum(['good', 'bad']) })

describe('createAgent', () => {
  it('types the output as JSON for clients and unchanged for ctx.call', () => {
    const when = createAgent('when', {
      handler: () => ({ at: new Date(), all: [new Date()], size: 1 as number | null }),
    })
    expectTypeOf<(typeof when)['~io']['output']>().toEqualTypeOf<{ at: string; all: string[]; size: number | null }>()
    const _handler = async (ctx: Context) => {
      expectTypeOf((await ctx.call(when, {})).at).toEqualTypeOf<Date>()
    }
    expectTypeOf(_handler).toBeFunction()
  })

  it('types the result of a durable agent as JSON for ctx.call', () => {
    const when = createAgent('when', { durable: true, handler: () => ({ at: new Date() }) })
    const _handler = async (ctx: Context) => {
      expectTypeOf(await ctx.call(when, {})).toEqualTypeOf<{ at: string }>()
    }
    expectTypeOf(_handler).toBeFunction()
  })

  it('accepts literals of the output schema', () => {
    createAgent('a', { output, handler: (_ctx, input) => ({ mood: input === 1 ? 'good' : 'bad' }) })
    createAgent('b', { output, handler: async (_ctx) => ({ mood: 'good' }) })
    const _chunks = createAgent('c', {
      output,
      async *handler(_ctx) {
        yield { mood: 'good' }
      },
    })
    expectTypeOf<(typeof _chunks)['~io']['stream']>().toEqualTypeOf<true>()
    expectTypeOf<(typeof _chunks)['~io']['output']>().toEqualTypeOf<{ mood: 'good' | 'bad' }>()
    createRouter().on('GET /api/mood', { output, handler: (ctx) => ({ mood: ctx.query['a'] ? 'good' : 'bad' }) })
  })

  it('rejects values that the output schema does not allow', () => {
    // @ts-expect-error -- not a valid mood
    createAgent('a', { output, handler: (_ctx) => ({ mood: 'odd' }) })
    const _chunks = createAgent('b', {
      output,
      // @ts-expect-error -- not a valid mood in a chunk
      async *handler(_ctx) {
        yield { mood: 'odd' }
      },
    })
    expectTypeOf<(typeof _chunks)['~io']['output']>().toEqualTypeOf<{ mood: 'good' | 'bad' }>()
  })

  it('infers the input from the schema or the handler, or types it as unknown', () => {
    const _typed = createAgent('a', { handler: (_ctx, input: { id: number }) => input.id })
    expectTypeOf<(typeof _typed)['~io']['input']>().toEqualTypeOf<{ id: number }>()
    expectTypeOf<(typeof _typed)['~io']['output']>().toEqualTypeOf<number>()
    createAgent('b', { handler: (_ctx, input) => expectTypeOf(input).toEqualTypeOf<unknown>() })
    createAgent('c', {
      input: z.object({ id: z.coerce.number<string>() }),
      handler: (_ctx, input) => expectTypeOf(input).toEqualTypeOf<{ id: number }>(),
    })
  })
})

describe('createAgent with durable', () => {
  it('types ctx.step by the JSON of its value, and marks the agent', () => {
    const agent = createAgent('plan', {
      durable: { keepFor: '1d', access: ({ user }) => user?.id === 'boss' },
      input: z.object({ question: z.string() }),
      async *handler(ctx, { question }) {
        const plan = await ctx.step('plan', async ({ key, signal, attempt }) => {
          expectTypeOf<[string, AbortSignal, number]>([key, signal, attempt])
          return { at: new Date(), question }
        })
        expectTypeOf(plan).toEqualTypeOf<{ at: string; question: string }>()
        expectTypeOf(await ctx.step('nothing', () => {})).toEqualTypeOf<void>()
        expectTypeOf(ctx.run).toEqualTypeOf<{
          readonly id: string
          readonly attempt: number
          readonly scheduledAt: Date | null
        }>()
        expectTypeOf(await ctx.sleep('nap', '1d')).toEqualTypeOf<void>()
        expectTypeOf(ctx.sleep).parameter(1).toEqualTypeOf<string | number | Date>()
        const nothing = yield* ctx.step.stream('write', async function* () {
          yield { text: plan.at }
        })
        expectTypeOf(nothing).toEqualTypeOf<void>()
        const end = yield* ctx.step.stream('end', async function* () {
          yield { text: plan.at }
          return { at: new Date() }
        })
        expectTypeOf(end).toEqualTypeOf<{ at: string }>()
        const read = yield* ctx.step.stream('read', () => new ReadableStream<{ text: string }>())
        expectTypeOf(read).toEqualTypeOf<void>()
      },
    })
    expectTypeOf<(typeof agent)['~io']['output']>().toEqualTypeOf<{ text: string }>()
    expectTypeOf<(typeof agent)['~io']['stream']>().toEqualTypeOf<true>()
    expectTypeOf<(typeof agent)['~io']['durable']>().toEqualTypeOf<true>()
  })

  it('types ctx.wait by the schema of its event', () => {
    const agent = createAgent('buy', {
      durable: true,
      input: z.object({ cost: z.number() }),
      events: { approval: z.object({ at: z.coerce.date() }), note: z.string() },
      async handler(ctx, { cost }) {
        expectTypeOf(await ctx.wait('approval', { ask: cost, timeout: '3d', id: 'a' })).toEqualTypeOf<{ at: Date }>()
        expectTypeOf(await ctx.wait('note')).toEqualTypeOf<string>()
        // @ts-expect-error -- the event is not declared
        await ctx.wait('other')
        return { cost }
      },
    })
    expectTypeOf<(typeof agent)['~io']['events']['note']>().toEqualTypeOf<string>()
    expectTypeOf<(typeof agent)['~io']['output']>().toEqualTypeOf<{ cost: number }>()
  })

  it('types ctx.thread by the schema of its state', () => {
    const state = z.object({ at: z.coerce.date() })
    const agent = createAgent('chat', {
      durable: { busy: 'queue' },
      state: state.default({ at: new Date() }),
      handler(ctx) {
        if (ctx.thread === null) return
        expectTypeOf(ctx.thread.id).toEqualTypeOf<string>()
        expectTypeOf(ctx.thread.state).toEqualTypeOf<{ at: Date }>()
        ctx.thread.state = { at: new Date() }
        // @ts-expect-error -- the state does not match its schema
        ctx.thread.state = { at: 7 }
        // @ts-expect-error -- the id does not change
        ctx.thread.id = 'u'
      },
    })
    expectTypeOf<(typeof agent)['~io']['state']>().toEqualTypeOf<{ at: string }>()
    createAgent('chat', {
      durable: true,
      state,
      handler: (ctx) => expectTypeOf(ctx.thread?.state).toEqualTypeOf<{ at: Date } | null | undefined>(),
    })
    createAgent('chat', {
      durable: true,
      handler: (ctx) => expectTypeOf(ctx.thread?.state).toEqualTypeOf<null | undefined>(),
    })
    // @ts-expect-error -- the agent is not durable
    createAgent('chat', { state, handler: () => 1 })
  })

  it('has schedules only if the agent is durable', () => {
    const agent = createAgent('a', { durable: true, schedule: '0 7 * * *', handler: () => 1 })
    expectTypeOf<(typeof agent)['~io']['output']>().toEqualTypeOf<number>()
    createAgent('b', { durable: true, schedule: { cron: '0 7 * * *' }, handler: () => 1 })
    createAgent('c', {
      durable: true,
      schedule: ['0 7 * * *', { cron: '0 8 * * *', timeZone: 'UTC' }],
      handler: () => 1,
    })
    // @ts-expect-error -- the agent is not durable
    createAgent('d', { schedule: '0 7 * * *', handler: () => 1 })
    // @ts-expect-error -- the option is called cron
    createAgent('e', { durable: true, schedule: { time: '0 7 * * *' }, handler: () => 1 })
  })

  it('has steps only if the agent is durable', () => {
    createAgent('a', { durable: true, handler: (ctx) => ctx.step('one', () => 1) })
    // @ts-expect-error -- the agent is not durable
    createAgent('b', { handler: (ctx) => ctx.step('one', () => 1) })
    // @ts-expect-error -- the agent is not durable
    createAgent('c', { durable: false, handler: (ctx) => ctx.step('one', () => 1) })
    const plain = createAgent('d', { handler: () => 1 })
    expectTypeOf<(typeof plain)['~io']>().not.toHaveProperty('durable')
  })
})
