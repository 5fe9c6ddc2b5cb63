import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createResource, createRouter, memoryStore, type AppHandle } from '../index.ts'

const schema = z.object({ title: z.string() })
const members = createResource('members', { schema, store: memoryStore(), access: 'public', live: true })

describe('the live option', () => {
  it('is a boolean, or names the resources that the access rule reads', () => {
    type Live = NonNullable<Parameters<typeof createResource<'tasks', typeof schema, 'public'>>[1]['live']>
    expectTypeOf<true>().toExtend<Live>()
    expectTypeOf<{ access: [typeof members] }>().toExtend<Live>()
    expectTypeOf<{ access: ['members'] }>().not.toExtend<Live>()
  })
})

describe('tags', () => {
  it('are strings', () => {
    createRouter().on('GET /api/stats', (ctx) => {
      expectTypeOf(ctx.reads).parameters.toEqualTypeOf<string[]>()
      expectTypeOf(ctx.touch).returns.toEqualTypeOf<Promise<void>>()
      return null
    })
    expectTypeOf<AppHandle['touch']>().parameters.toEqualTypeOf<string[]>()
  })
})
