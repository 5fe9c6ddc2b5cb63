/** Shows `auth.users`: the people that a task can be assigned to. */
import { createRouter, requireUser } from '@sdk/server'
import { z } from 'zod'
import { auth } from '../auth.ts'
import { database } from '../database.ts'

/** A user as others see them. The email address is private. */
export type Person = z.infer<typeof person>
export const person = z.object({ id: z.string(), name: z.string() })

/** The other users, at `/api/people`. An app for many users would list only the members of the caller's team. */
export const people = createRouter().on('GET /', async (ctx) => {
  const caller = await requireUser(ctx)
  const { data } = await auth.users.list({ limit: 100 })
  return data.filter(({ id }) => id !== caller.id).map(({ id, name }): Person => ({ id, name }))
})

/** Returns the users with these ids, read with one query. A missing user is null. */
export async function findPeople(ids: readonly (string | null)[]): Promise<(Person | null)[]> {
  if (ids.every((id) => id === null)) return ids.map(() => null)
  const found = await database.query<Person>('select id, name from "user" where id = any($1)', [ids])
  const byId = new Map(found.map((one) => [one.id, one]))
  return ids.map((id) => byId.get(id ?? '') ?? null)
}
