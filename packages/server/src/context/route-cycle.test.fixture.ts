/// <reference types="node" />
/** A router and agents that return each other's results, which context-calls.test.ts compiles as a separate program. */
import type { RoutesOf, Tool } from '@sdk/server'
import { createAgent, createResource, createRouter, memoryStore } from '@sdk/server'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string(), done: z.boolean() }),
  store: memoryStore(),
  access: 'public',
  filter: ['done'],
})

interface Total {
  total: number
}

export const router = createRouter()
  .resource('v1', tasks)
  .on('GET /api/total', (ctx): Promise<Total> => ctx.call('GET /api/sum'))
  .on('GET /api/sum', () => ({ total: 7, at: new Date() }))
  .on('GET /api/count', async (ctx): Promise<{ count: number }> => {
    const { data } = await ctx.call('GET /api/v1/tasks', { query: { done: false } })
    return { count: data.length }
  })
  // The type of the result does not depend on the call, so this handler needs no return type.
  .on('POST /api/refresh', async (ctx) => {
    await ctx.call('GET /api/sum')
    return { ok: true }
  })
  .on('POST /api/items/:id', { input: z.object({ text: z.string() }), handler: (_ctx, { text }) => ({ text }) })

export const ping = createAgent('ping', {
  input: z.object({ left: z.number() }),
  handler: async (ctx, { left }): Promise<number> =>
    left === 0 ? 0 : ctx.call('POST /agent/pong', { left: left - 1 }),
})

export const pong = createAgent('pong', {
  input: z.object({ left: z.number() }),
  handler: async (ctx, { left }): Promise<number> =>
    left === 0 ? 1 : ctx.call('POST /agent/ping', { left: left - 1 }),
})

export const words = createAgent('words', {
  async *handler() {
    yield { word: 'tea', at: new Date() }
  },
})

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/total': RoutesOf<typeof router>['GET /api/total']
    'GET /api/sum': RoutesOf<typeof router>['GET /api/sum']
    'GET /api/count': RoutesOf<typeof router>['GET /api/count']
    'POST /api/items/:id': RoutesOf<typeof router>['POST /api/items/:id']
    'GET /api/v1/tasks': RoutesOf<typeof router>['GET /api/v1/tasks']
    'PATCH /api/v1/tasks/:id': RoutesOf<typeof router>['PATCH /api/v1/tasks/:id']
    'POST /agent/ping': typeof ping
    'POST /agent/pong': typeof pong
    'POST /agent/words': typeof words
  }
}

/** Calls in a handler, with the errors that a compiler must report. */
createAgent('use', {
  async handler(ctx) {
    expectTypeOf(await ctx.call('GET /api/sum')).toEqualTypeOf<{ total: number; at: string }>()
    expectTypeOf(await ctx.call('GET /api/total')).toEqualTypeOf<{ total: number }>()
    expectTypeOf(await ctx.call('POST /agent/ping', { left: 1 })).toEqualTypeOf<number>()
    expectTypeOf(await ctx.call(ping, { left: 1 })).toEqualTypeOf<number>()
    expectTypeOf(await ctx.call('POST /agent/words')).toEqualTypeOf<AsyncIterable<{ word: string; at: string }>>()
    const changed = await ctx.call('PATCH /api/v1/tasks/:id', { done: true }, { params: { id: 7 } })
    expectTypeOf(changed.title).toEqualTypeOf<string>()
    await ctx.call('POST /api/items/:id', { text: 'a' }, { params: { id: 7 }, headers: { 'if-match': '"1"' } })
    // @ts-expect-error -- the path has an id
    await ctx.call('PATCH /api/v1/tasks/:id', { done: true })
    // @ts-expect-error -- a number is required
    await ctx.call('POST /agent/ping', { left: 'a' })
    // @ts-expect-error -- unknown parameter
    await ctx.call('GET /api/v1/tasks', { query: { dune: true } })
    // @ts-expect-error -- unknown route
    await ctx.call('GET /api/nothing')

    expectTypeOf(await ctx.tools(['GET /api/sum'])).toEqualTypeOf<Record<string, Tool>>()
    const { edit, say } = await ctx.tools({ edit: 'PATCH /api/v1/tasks/:id', say: 'POST /agent/words' })
    const result = await edit.execute({ id: 7, done: true })
    if ('error' in result) expectTypeOf(result.error.code).toEqualTypeOf<string>()
    else expectTypeOf(result.title).toEqualTypeOf<string>()
    const all = await say.execute({})
    if (Array.isArray(all)) expectTypeOf(all).toEqualTypeOf<{ word: string; at: string }[]>()
    // @ts-expect-error -- the path has an id
    await edit.execute({ done: true })
    // @ts-expect-error -- unknown route
    await ctx.tools(['GET /api/nothing'])
  },
})
