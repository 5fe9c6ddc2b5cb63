/** Shows a resource: six routes, a table, types and access rules from one definition. */
import { table } from '@sdk/database'
import { createResource, createRouter, requireUser } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** The tasks at `/api/v1/tasks`. Users see only their own tasks; tasks of others respond with 404. */
export const tasks = createResource('tasks', {
  description: 'Tasks of a user',
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),
    priority: z.number().int().min(1).max(3).default(2), // 1 is the highest
    ownerId: z.string().max(100).default(''), // clients can read it, but only `assign` sets it
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

/**
 * Returns the 50 most important open tasks of a user, and their total number. The table of a resource can be queried
 * with SQL.
 */
export async function openTasksOf(userId: string): Promise<{ tasks: OpenTask[]; total: number }> {
  await tasks.store.ready?.() // creates the table if it does not exist
  const rows = await database.query<OpenTask & { total: number }>(
    `select id::int, title, priority::int, count(*) over ()::int as total from tasks
     where owner_id = $1 and not done order by tasks.priority, tasks.id limit 50`,
    [userId],
  )
  return { tasks: rows.map(({ id, title, priority }) => ({ id, title, priority })), total: rows[0]?.total ?? 0 }
}

/** A row of the table, as in the list of the resource. */
interface FoundTask extends OpenTask {
  done: boolean
  ownerId: string
  createdAt: string
  updatedAt: string
}

/** Finds tasks by a part of their title. Resource lists filter by exact values; use SQL for other queries. */
export const taskSearch = createRouter().on('GET /', {
  query: z.object({ text: z.string().trim().min(1).max(200) }),
  async handler(ctx) {
    const { id } = await requireUser(ctx)
    await tasks.store.ready?.()
    return database.query<FoundTask>(
      `select id::int, title, priority::int, done, owner_id as "ownerId",
         created_at::text as "createdAt", updated_at::text as "updatedAt"
       from tasks where owner_id = $1 and strpos(lower(title), lower($2)) > 0 order by tasks.id desc limit 50`,
      [id, ctx.query.text],
    )
  },
})
