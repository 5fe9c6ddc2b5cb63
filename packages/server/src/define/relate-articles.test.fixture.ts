import { z } from 'zod'
import { memoryStore } from '../resource/memory-store.ts'
import { createResource } from './resource.ts'

export const articles = createResource('articles', {
  schema: z.object({ title: z.string().max(20), pinnedId: z.int().nullable() }),
  store: memoryStore(),
  access: 'public',
  computed: {
    length: { output: z.number(), load: (rows) => rows.map(({ title }) => title.length) },
    seenAt: { output: z.date(), load: async (rows, ctx) => rows.map(({ id }) => new Date(ctx.auth === null ? id : 0)) },
  },
})
