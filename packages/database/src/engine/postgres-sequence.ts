import type { SequenceStore } from '@sdk/server/engine'
import type { EngineQuery } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { toColumnText } from './column-text.ts'

/** How far sessions are, in PostgreSQL. */
export function createPostgresSequence(query: EngineQuery, { sequences }: TableNames): SequenceStore {
  const read = { name: 'sdk_engine_handled', text: `select handled from ${sequences} where session = $1` }
  // In one order, so that two processes never wait for each other.
  const save = {
    name: 'sdk_engine_advance',
    text: `insert into ${sequences} as known (session, handled, at)
      select session, handled, now() from unnest($1::text[], $2::bigint[]) as told (session, handled)
      order by session collate "C"
      on conflict (session) do update set handled = greatest(known.handled, excluded.handled), at = now()`,
  }
  return {
    async read(session) {
      const [row] = await query<{ handled: number }>(read, [toColumnText(session)])
      return row === undefined ? null : row.handled
    },
    async save(handled) {
      await query(save, [[...handled.keys()].map(toColumnText), [...handled.values()]])
    },
  }
}
