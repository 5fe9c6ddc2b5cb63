import type { EngineNames } from '@sdk/server'
import type { Client } from 'pg'
import type { EngineQuery } from './engine-connection.ts'

/** Names that this process holds, by locks of the listening connection: they are released with it. */
export interface ClaimedNames extends EngineNames {
  /** Called after the first connect and after every reconnect. */
  connected(client: Client): Promise<void>
}

/** Creates the names of processes whose engines have this prefix. */
export function createClaimedNames(query: EngineQuery, prefix: string): ClaimedNames {
  const claimed = new Set<string>()
  const keyOf = (name: string): string => `hashtextextended('${prefix} ' || ${name}, 0)`
  let current: Client | undefined

  return {
    claim(name) {
      claimed.add(name)
      if (current !== undefined) lock(current, [name]).catch(() => undefined) // a broken connection is replaced
    },
    async isClaimed(name) {
      // Released as soon as it is acquired.
      const sql = `select pg_try_advisory_xact_lock(${keyOf('$1')}) as "isFree"`
      const [row] = await query<{ isFree: boolean }>(sql, [name])
      return row?.isFree !== true
    },
    async connected(client) {
      current = client
      await lock(client, [...claimed])
    },
  }

  /** Takes shared locks, since a lost connection may hold a lock for a while. */
  async function lock(client: Client, names: readonly string[]): Promise<void> {
    await client.query(`select pg_advisory_lock_shared(${keyOf('name')}) from unnest($1::text[]) as name`, [names])
  }
}
