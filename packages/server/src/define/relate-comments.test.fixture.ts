import { z } from 'zod'
import { memoryStore } from '../resource/memory-store.ts'
import { createResource } from './resource.ts'

export const comments = createResource('comments', {
  schema: z.object({ articleId: z.int(), text: z.string().max(20) }),
  store: memoryStore(),
  access: 'public',
  sort: ['createdAt'],
})
