/** Shows an access rule that reads other rows: comments are for the owner of their task and for its assignee. */
import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'
import { tasks } from './tasks.ts'

/** The comments at `/api/v1/comments`. A comment on a task of somebody else is rejected with 403. */
export const comments = createResource('comments', {
  description: 'Comments on tasks',
  schema: z.object({
    taskId: z.int(),
    text: z.string().trim().min(1).max(2000),
    authorId: z.string().max(100).default(''), // clients can read it, but only `assign` sets it
    author: z.string().max(200).default(''),
  }),
  store: table('comments', { database }),
  async access({ user, action }) {
    if (user === null) return false
    const taskId = await taskIdsOf(user.id)
    const isOfAuthor = action === 'update' || action === 'replace' || action === 'delete'
    return isOfAuthor ? { taskId, authorId: user.id } : { taskId }
  },
  assign: ({ user }) => ({ authorId: user.id, author: user.name }),
  filter: ['taskId'],
  sort: ['createdAt'],
  live: { access: [tasks] }, // a new assignee sees the comments at once
})

/** Returns the ids of the tasks that a user owns or is assigned to. */
async function taskIdsOf(userId: string): Promise<number[]> {
  await tasks.store.ready?.() // creates the table if it does not exist
  const rows = await database.query<{ id: number }>(
    'select id::int from tasks where owner_id = $1 or assignee_id = $1',
    [userId],
  )
  return rows.map(({ id }) => id)
}
