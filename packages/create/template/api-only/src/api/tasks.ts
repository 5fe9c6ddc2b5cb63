import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** Six routes, a table, an OpenAPI description and types, from one definition. */
export const tasks = createResource('tasks', {
  description: 'What is to be done',
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),
  }),
  store: table('tasks', { database }),
  access: 'public', // everybody may read and write: add users, then ({ user }) => (user ? { ownerId: user.id } : false)
  filter: ['done'],
  sort: ['createdAt'],
})
