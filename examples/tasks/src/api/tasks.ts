import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

export const tasks = createResource('tasks', {
  description: 'What is to be done',
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),
    author: z.string().nullable().default(null),
  }),
  store: table('tasks', { database }),
  access: 'public',
  assign: ({ user }) => ({ author: user?.name ?? null }),
  filter: ['done'],
  sort: ['createdAt'],
})
