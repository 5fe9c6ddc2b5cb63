import { table } from '@sdk/database'
import { createResource } from '@sdk/server'
import { z } from 'zod'
import { database } from '../database.ts'

const schema = z.object({
  ownerId: z.string().max(100),
  /** The id of the conversation. */
  thread: z.string().max(200),
  /** The id of the message for the AI SDK. */
  key: z.string().max(100),
  role: z.enum(['user', 'assistant']),
  /** The parts of a `UIMessage`. */
  parts: z.array(z.unknown()).max(1000),
})

/** The messages of all conversations. Users can read their own messages, and only the agent writes them. */
export const assistantMessages = createResource('assistantMessages', {
  description: 'The messages between a user and the agent assistant',
  schema,
  store: table('assistant_messages', { database }),
  access: ({ user, action }) => user !== null && (action === 'list' || action === 'get') && { ownerId: user.id },
  unique: [['ownerId', 'key']],
  filter: ['thread'],
  live: true,
})

const INSERT = `insert into assistant_messages (owner_id, thread, key, role, parts, created_at, updated_at)
  values ($1, $2, $3, $4, $5::jsonb, now(), now()) on conflict (owner_id, key) do nothing`

/** Stores a message once, even if the step that calls it runs twice. */
export async function keepMessage({ ownerId, thread, key, role, parts }: z.infer<typeof schema>): Promise<void> {
  await assistantMessages.store.ready?.() // creates the table if it does not exist
  await database.query(INSERT, [ownerId, thread, key, role, JSON.stringify(parts)])
}
