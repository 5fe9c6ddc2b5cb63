import type { EngineNames } from '@sdk/server'
import type { Client } from 'pg'
import type { EngineQuery } from './engine-connection.ts'

/**
 * The names that this process claims. Each name is an advisory lock, which the listening connection holds until it
 * closes.
 */
export interface ClaimedNames extends EngineNames {
  /** Claims a name. Resolves when the lock is acquired, or when this has failed: then the next connection acquires it. */
  acquire(name: string): Promise<void>
  release(name: string): Promise<void>
  /** Called each time the client connects or reconnects. */
  connected(client: Client): Promise<void>
}

/** Creates the functions that claim names for engines with this prefix. */
export function createClaimedNames(query: EngineQuery, prefix: string): ClaimedNames {
  const claimed = new Set<string>()
  const keyOf = (name: string): string => `hashtextextended('${prefix} ' || ${name}, 0)`
  let current: Client | undefined

  return {
    claim: (name) => void acquire(name),
    acquire,
    async release(name) {
      claimed.delete(name)
      // If this fails, the connection is lost, and its locks with it.
      await current?.query(`select pg_advisory_unlock_shared(${keyOf('$1')})`, [name]).catch(() => {})
    },
    async isClaimed(name) {
      // If the lock is acquired, it is released when the statement ends.
      const sql = `select pg_try_advisory_xact_lock(${keyOf('$1')}) as "isFree"`
      const [row] = await query<{ isFree: boolean }>(sql, [name])
      return row?.isFree !== true
    },
    async connected(client) {
      current = client
      await lock(client, [...claimed])
    },
  }

  async function acquire(name: string): Promise<void> {
    claimed.add(name)
    if (current !== undefined) await lock(current, [name]).catch(() => {})
  }

  /** Acquires shared locks, since a lost connection may still hold its locks for a while. */
  async function lock(client: Client, names: readonly string[]): Promise<void> {
    await client.query(`select pg_advisory_lock_shared(${keyOf('name')}) from unnest($1::text[]) as name`, [names])
  }
}
