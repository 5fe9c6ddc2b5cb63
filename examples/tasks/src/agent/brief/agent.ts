import { createAgent } from '@sdk/server'
import { z } from 'zod'
import { database } from '../../database.ts'

export default createAgent('brief', {
  description: 'Tells whoever is signed in where they stand',
  output: z.object({ text: z.string() }),
  async handler(ctx) {
    const user = await ctx.auth?.getUser()
    if (!user) return { text: 'Sign in, and I will tell you where you stand.' }
    const [notes] = await database.query<{ count: number }>(
      'select count(*)::int as count from notes where owner_id = $1',
      [user.id],
    )
    return { text: `${user.name}, you have ${notesOf(notes?.count ?? 0)}.` }
  },
})

function notesOf(count: number): string {
  return count === 1 ? 'one private note' : `${count === 0 ? 'no' : count} private notes`
}
