import { migrate, openDatabase } from '@sdk/database'
import { z } from 'zod'

/** A chat message. */
export const said = z.object({ kind: z.literal('said'), id: z.number(), name: z.string(), text: z.string() })
export type Said = z.infer<typeof said>

/** PGlite in `.sdk/data`, or the PostgreSQL server of `DATABASE_URL`. */
const database = openDatabase()
let made: Promise<unknown> | undefined

/** Stores a message. Returns null if it was stored before. */
export async function keep(words: {
  room: string
  name: string
  text: string
  messageId: string
}): Promise<Said | null> {
  await makeTable()
  const rows = await database.query<{ id: number }>(
    `insert into said (room, name, text, message_id) values ($1, $2, $3, $4)
     on conflict (message_id) do nothing returning id::float8 as id`,
    [words.room, words.name, words.text, words.messageId],
  )
  const [row] = rows
  return row === undefined ? null : { kind: 'said', id: row.id, name: words.name, text: words.text }
}

/** Returns the last hundred messages of a room, newest first. */
export async function latest(room: string): Promise<Said[]> {
  await makeTable()
  return database.query<Said>(
    `select 'said' as kind, id::float8 as id, name, text from said where room = $1 order by said.id desc limit 100`,
    [room],
  )
}

function makeTable(): Promise<unknown> {
  return (made ??= migrate(database, 'chat', async ({ query }) => {
    await query(`create table if not exists said (id bigint generated always as identity primary key,
      room text not null, name text not null, text text not null, message_id text not null unique)`)
    await query('create index if not exists said_by_room on said (room, id)')
  }))
}
