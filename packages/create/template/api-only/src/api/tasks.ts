import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** Defines six routes, a table, an OpenAPI description and types. */
export const tasks = createResource('tasks', {
  description: 'Tasks to do',
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),
  }),
  store: table('tasks', { database }),
  access: 'public', // anyone can read and write. With users: ({ user }) => (user ? { ownerId: user.id } : false)
  filter: ['done'],
  sort: ['createdAt'],
})
