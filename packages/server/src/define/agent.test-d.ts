import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from './agent.ts'
import type { Context } from '../context/context.ts'
import { createRouter } from './router.ts'

const output = z.object({ mood: z.enum(['good', 'bad']) })

describe('createAgent', () => {
  it('gives callers of the route what JSON tells, and callers in this process what its handler gave', () => {
    const when = createAgent('when', {
      handler: () => ({ at: new Date(), all: [new Date()], size: 1 as number | null }),
    })
    expectTypeOf<(typeof when)['~io']['output']>().toEqualTypeOf<{ at: string; all: string[]; size: number | null }>()
    const _handler = async (ctx: Context) => {
      expectTypeOf((await ctx.call(when, {})).at).toEqualTypeOf<Date>()
    }
    expectTypeOf(_handler).toBeFunction()
  })

  it('takes the literals of an output as they are written', () => {
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

  it('refuses other ones', () => {
    // @ts-expect-error -- there is no such mood
    createAgent('a', { output, handler: (_ctx) => ({ mood: 'odd' }) })
    const _chunks = createAgent('b', {
      output,
      // @ts-expect-error -- nor among chunks
      async *handler(_ctx) {
        yield { mood: 'odd' }
      },
    })
    expectTypeOf<(typeof _chunks)['~io']['output']>().toEqualTypeOf<{ mood: 'good' | 'bad' }>()
  })

  it('knows an input by its schema, by the handler, or not at all', () => {
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
