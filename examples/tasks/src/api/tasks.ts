/** Shows a resource: six routes, a table, types, access rules and live data from one definition. */
import { table } from '@sdk/database'
import { ApiError, createResource } from '@sdk/server'
import { z } from 'zod'
import { auth } from '../auth.ts'
import { database } from '../database.ts'
import { label, labelsOf } from './labels.ts'
import { findPeople, person } from './people.ts'

const fields = {
  title: z.string().trim().min(1).max(200),
  done: z.boolean().default(false),
  priority: z.number().int().min(1).max(3).default(2), // 1 is the highest
  ownerId: z.string().max(100).default(''), // clients can read it, but only `assign` sets it
}

/** The tasks at `/api/v1/tasks`. Users see only their own tasks; tasks of others respond with 404. */
export const tasks = createResource('tasks', {
  description: 'Tasks of a user',
  schema: z.object({ ...fields, assigneeId: z.string().max(100).nullable().optional() }),
  store: table('tasks', { database }),
  access: ({ user }) => (user ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user.id }),
  filter: ['id', 'done', 'priority', 'assigneeId'],
  sort: ['priority', 'createdAt'],
  live: true, // lists in the browser show every change, even one by SQL
  async check({ assigneeId }, _ctx, before) {
    if (assigneeId === null || assigneeId === before?.assigneeId) return
    if ((await auth.users.get(assigneeId)) !== null) return
    throw new ApiError('INVALID_REQUEST', 'The assignee is unknown', {
      details: [{ code: 'INVALID_VALUE', message: 'no user has this id', source: 'body', pointer: '/assigneeId' }],
    })
  },
  computed: {
    labels: { output: z.array(label), load: (rows) => labelsOf(rows.map(({ id }) => id)) },
    assignee: { output: person.nullable(), load: (rows) => findPeople(rows.map(({ assigneeId }) => assigneeId)) },
  },
  on: { deleted: ({ id }) => database.query('delete from comments where task_id = $1', [id]) },
})

/**
 * The tasks that others have assigned to the caller, at `/api/v1/assignedTasks`: the same table under another access
 * rule. Assignees read and update tasks, but cannot delete them or assign them to somebody else.
 */
export const assignedTasks = createResource('assignedTasks', {
  description: 'Tasks that are assigned to a user',
  schema: z.object(fields),
  store: table('tasks', { database }),
  access: ({ user, action }) => user !== null && ['list', 'get', 'update'].includes(action) && { assigneeId: user.id },
  assign: ({ user }) => ({ ownerId: user.id }), // makes the field read-only; rows are never created here
  live: true,
  computed: { owner: { output: person.nullable(), load: (rows) => findPeople(rows.map(({ ownerId }) => ownerId)) } },
})

/** Returns how many tasks are done and were last changed on the day before the given one, in UTC, for all users. */
export async function countFinishedTasks(day: string): Promise<number> {
  await tasks.store.ready?.()
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int from tasks where done
     and (updated_at at time zone 'UTC')::date = $1::date - 1`,
    [day],
  )
  return row?.count ?? 0
}
