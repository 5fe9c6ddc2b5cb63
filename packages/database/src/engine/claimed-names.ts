import type { EngineNames } from '@sdk/server'
import type { Client } from 'pg'
import type { EngineQuery } from './engine-connection.ts'

/** Names that this process holds, by locks of the connection that listens: they end with it. */
export interface ClaimedNames extends EngineNames {
  /** There is a connection, the first or another. */
  connected(client: Client): Promise<void>
}

/** Names of the processes whose engines have this prefix. */
export function createClaimedNames(query: EngineQuery, prefix: string): ClaimedNames {
  const claimed = new Set<string>()
  const keyOf = (name: string): string => `hashtextextended('${prefix} ' || ${name}, 0)`
  let current: Client | undefined

  return {
    claim(name) {
      claimed.add(name)
      if (current !== undefined) lock(current, [name]).catch(() => undefined) // one that broke is replaced
    },
    async isClaimed(name) {
      // Let go of as soon as it is taken.
      const sql = `select pg_try_advisory_xact_lock(${keyOf('$1')}) as "isFree"`
      const [row] = await query<{ isFree: boolean }>(sql, [name])
      return row?.isFree !== true
    },
    async connected(client) {
      current = client
      await lock(client, [...claimed])
    },
  }

  /** Shared, as a connection that is lost may have it for a while still. */
  async function lock(client: Client, names: readonly string[]): Promise<void> {
    await client.query(`select pg_advisory_lock_shared(${keyOf('name')}) from unnest($1::text[]) as name`, [names])
  }
}
