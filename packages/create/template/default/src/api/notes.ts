import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** Defines six routes, a table and their types. Users can access only their own rows. */
export const notes = createResource('notes', {
  description: 'Notes that only their owner can read',
  schema: z.object({ text: z.string().trim().min(1).max(500) }),
  store: table('notes', { database, assigned: { ownerId: 'string' } }),
  access: ({ user }) => (user ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user.id }),
  sort: ['createdAt'],
})
