/** Shows a resource: six routes, a table, their types and the rule who sees what, from one definition. */
import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** The tasks at `/api/v1/tasks`. Every user sees only their own; those of others are 404. */
export const tasks = createResource('tasks', {
  description: 'What is to be done',
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),
    priority: z.number().int().min(1).max(3).default(2), // 1 is high
    ownerId: z.string().default(''), // callers can read it, but only `assign` sets it
  }),
  store: table('tasks', { database }),
  access: ({ user }) => (user ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user.id }),
  filter: ['done', 'priority'],
  sort: ['priority', 'createdAt'],
})

/** A task as agents read it. */
export interface OpenTask {
  id: number
  title: string
  priority: number
}

/** The open tasks of a user, the most important first. It is a table like any other, so SQL reads it. */
export async function openTasksOf(userId: string): Promise<OpenTask[]> {
  await tasks.store.ready?.() // creates the table before its first use
  return database.query<OpenTask>(
    `select id::int, title, priority::int from tasks
     where owner_id = $1 and not done order by tasks.priority, tasks.id limit 50`,
    [userId],
  )
}
