/** Shows many-to-many: labels, a resource for the links with a key of two fields, and a transaction over both. */
import { table } from '@sdk/database'
import { createResource, createRouter, type AccessRequest } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

const ofOwner = ({ user }: AccessRequest) => (user ? { ownerId: user.id } : false)
const owner = z.string().max(100).default('') // clients can read it, but only `assign` sets it
const name = z.string().trim().min(1).max(30)

/** The labels of a user, at `/api/v1/labels`. */
export const labels = createResource('labels', {
  description: 'Labels of a user',
  schema: z.object({ name, ownerId: owner }),
  store: table('labels', { database }),
  access: ofOwner,
  assign: ({ user }) => ({ ownerId: user.id }),
  sort: ['name'],
  unique: [['ownerId', 'name']],
})

/**
 * The labels on tasks. `key` adds routes without an id: `PUT /api/v1/taskLabels/by-task-id-label-id/7/3` puts the label
 * 3 on the task 7, and `DELETE` removes it. A repeated `PUT` changes nothing.
 */
export const taskLabels = createResource('taskLabels', {
  description: 'Labels on tasks',
  schema: z.object({ taskId: z.int(), labelId: z.int(), ownerId: owner }),
  store: table('task_labels', { database }),
  access: ofOwner,
  assign: ({ user }) => ({ ownerId: user.id }),
  key: ['taskId', 'labelId'],
  // The caller must be able to read both rows, and a label leaves no links behind.
  references: { taskId: { to: 'tasks', onDelete: 'cascade' }, labelId: { to: 'labels', onDelete: 'cascade' } },
})

/** A label as tasks contain it. */
export type Label = z.infer<typeof label>
export const label = z.object({ id: z.number(), name: z.string() })

/** Returns the labels of each of these tasks, read with one query. */
export async function labelsOf(taskIds: readonly number[]): Promise<Label[][]> {
  await Promise.all([labels.store.ready?.(), taskLabels.store.ready?.()]) // creates the tables if they do not exist
  const found = await database.query<Label & { taskId: number }>(
    `select task_id::int as "taskId", labels.id::int, name from task_labels join labels on labels.id = label_id
     where task_id = any($1) order by name, labels.id`,
    [taskIds],
  )
  return taskIds.map((taskId) => found.filter((one) => one.taskId === taskId).map((one) => label.parse(one)))
}

/** Creates a label and puts it on a task. If one of the two fails, neither is stored. */
export const newLabel = createRouter().on('POST /:id/labels', {
  params: z.object({ id: z.coerce.number().int().positive() }),
  input: z.object({ name }),
  handler: (ctx, input) =>
    ctx.transaction(async (tx) => {
      const created = await tx.rows(labels).create(input)
      await tx.rows(taskLabels).create({ taskId: ctx.params.id, labelId: created.id })
      return label.parse(created)
    }),
})
