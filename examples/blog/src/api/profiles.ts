import type { Context } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

const text = z.string().nullable()

/** A user as others see them. */
export const profile = z.object({ username: z.string(), bio: text, image: text, following: z.boolean() })
type Profile = z.infer<typeof profile>

const DELETED_USER: Profile = { username: '', bio: null, image: null, following: false }

/** Returns the author of each row, for the computed value `author`. One query reads all authors of a page. */
export async function loadAuthors(rows: readonly { ownerId: string }[], ctx: Context): Promise<Profile[]> {
  const found = await findProfiles(ctx, { id: rows.map(({ ownerId }) => ownerId) })
  return rows.map(({ ownerId }) => profile.parse(found.find(({ id }) => id === ownerId) ?? DELETED_USER))
}

/** Returns the profiles of users, as the caller sees them. */
export function findProfiles({ auth }: Pick<Context, 'auth'>, by: { id?: string[]; username?: string }) {
  return database.query<Profile & { id: string }>(
    `select u.id, u.username, u.bio, u.image, exists (
       select 1 from follows f where f.user_id = u.id and f.owner_id = $1
     ) as following
     from "user" u where u.id = any($2) or u.username = $3`,
    [auth?.session.userId, by.id, by.username],
  )
}
