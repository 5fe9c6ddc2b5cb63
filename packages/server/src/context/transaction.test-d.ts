import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { memoryStore } from '../resource/memory-store.ts'
import type { Context } from './context.ts'

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string(), done: z.boolean().default(false) }),
  store: memoryStore(),
  access: 'public',
})

declare const ctx: Context

describe('ctx.transaction', () => {
  it('returns what its work returns', () => {
    expectTypeOf(ctx.transaction(() => Promise.resolve(7))).toEqualTypeOf<Promise<number>>()
    expectTypeOf(ctx.transaction(async () => {})).toEqualTypeOf<Promise<void>>()
    // @ts-expect-error -- the transaction would end before the work
    void ctx.transaction(() => 7)
  })

  it('has the rows of resources with their types, and queries with rows of the given type', () => {
    void ctx.transaction(async (tx) => {
      expectTypeOf(tx.rows(tasks)).toEqualTypeOf(ctx.rows(tasks))
      expectTypeOf(await tx.rows(tasks).create({ title: 'Tea' }))
        .toHaveProperty('done')
        .toEqualTypeOf<boolean>()
      // @ts-expect-error -- the title is missing
      void tx.rows(tasks).create({})
      expectTypeOf(await tx.query('select 1')).toEqualTypeOf<Record<string, unknown>[]>()
      expectTypeOf(await tx.query<{ one: number }>('select 1 as one', [])).toEqualTypeOf<{ one: number }[]>()
      // @ts-expect-error -- parameters are a list
      void tx.query('select $1', 7)
    })
  })

  it('takes an isolation level, a timeout and a resource', () => {
    type Options = NonNullable<Parameters<Context['transaction']>[1]>
    expectTypeOf({ isolation: 'serializable', timeout: 0, resource: tasks } as const).toExtend<Options>()
    expectTypeOf<{ isolation: 'snapshot' }>().not.toExtend<Options>()
  })
})
