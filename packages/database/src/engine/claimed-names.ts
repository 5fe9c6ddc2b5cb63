import type { EngineNames } from '@sdk/server'
import type { Client } from 'pg'
import type { Ask } from './engine-connection.ts'

/** Names that this process holds, by locks of the connection that listens: they end with it. */
export interface HeldNames extends EngineNames {
  /** There is a connection, the first or another. */
  connected(client: Client): Promise<void>
}

/** Names of the processes whose engines have this prefix. */
export function createNames(ask: Ask, prefix: string): HeldNames {
  const held = new Set<string>()
  const keyOf = (name: string): string => `hashtextextended('${prefix} ' || ${name}, 0)`
  let current: Client | undefined

  return {
    hold(name) {
      held.add(name)
      if (current !== undefined) lock(current, [name]).catch(() => undefined) // one that broke is replaced
    },
    async isHeld(name) {
      // Let go of as soon as it is taken.
      const sql = `select pg_try_advisory_xact_lock(${keyOf('$1')}) as "isFree"`
      const [row] = await ask<{ isFree: boolean }>(sql, [name])
      return row?.isFree !== true
    },
    async connected(client) {
      current = client
      await lock(client, [...held])
    },
  }

  /** Shared, as a connection that is lost may have it for a while still. */
  async function lock(client: Client, names: readonly string[]): Promise<void> {
    await client.query(`select pg_advisory_lock_shared(${keyOf('name')}) from unnest($1::text[]) as name`, [names])
  }
}
