/** Shows a resource that clients can only read: the chat history, page by page. */
import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

/** The chat history. The frontend reads it when it opens the room; `chat.ts` writes it. */
export const messages = createResource('messages', {
  description: 'What was said in the chat',
  schema: z.object({
    key: z.string().max(200),
    userId: z.string().max(100),
    name: z.string().max(200),
    text: z.string().max(2000),
  }),
  store: table('messages', { database }),
  access: ({ user, action }) => user !== null && (action === 'list' || action === 'get'),
  unique: ['key'],
})

/** A message as all members of the room see it. */
export type Message = z.infer<typeof message>
export const message = z.object({
  id: z.number(),
  key: z.string(),
  userId: z.string(),
  name: z.string(),
  text: z.string(),
  createdAt: z.string(),
})

/**
 * Stores a message and returns it. If the key is already stored, for example after a crash, returns the stored message.
 */
export async function keepMessage(said: Omit<Message, 'id' | 'createdAt'>): Promise<Message> {
  await messages.store.ready?.() // creates the table if it does not exist
  const values = [said.key, said.userId, said.name, said.text]
  await database.query(
    `insert into messages (key, user_id, name, text, created_at, updated_at)
     values ($1, $2, $3, $4, now(), now()) on conflict (key) do nothing`,
    values,
  )
  const [kept] = await database.query<Omit<Message, 'createdAt'> & { createdAt: Date }>(
    'select id::int, key, user_id as "userId", name, text, created_at as "createdAt" from messages where key = $1',
    [said.key],
  )
  if (kept === undefined) throw new Error(`message ${said.key} was deleted while it was sent`)
  return { ...kept, createdAt: kept.createdAt.toISOString() }
}
