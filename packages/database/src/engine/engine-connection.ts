import { ApiError } from '@sdk/protocol'
import type { Log } from '@sdk/server'
import pg from 'pg'
import { queryPool } from '../query.ts'
import type { PreparedSql } from '../database.ts'
import { closeReadOnlyConnections } from '../read-only-connections.ts'
import { enforceStatementTimeout } from '../statement-timeout.ts'

/** A function that runs one statement. It rejects with `SERVICE_UNAVAILABLE` for any failure. */
export type EngineQuery = <T = Record<string, unknown>>(
  sql: string | PreparedSql,
  values?: readonly unknown[],
) => Promise<T[]>

interface EngineConnectionOptions {
  readonly url: string
  /** The timeout for a statement, in ms. */
  readonly timeout: number
  /** The maximum number of connections. */
  readonly connections: number
  /** Creates the tables. Called until it succeeds. */
  prepare(query: EngineQuery): Promise<void>
  readonly log: Log
}

/**
 * Opens connections on demand. Statements wait until the engine's tables exist, and fail while the server is
 * unreachable. No statement is sent twice.
 */
export function openEngineConnection(options: EngineConnectionOptions): { query: EngineQuery; close(): Promise<void> } {
  const { url, timeout, connections, prepare, log } = options
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    application_name: 'sdk-engine',
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  let isAway = false
  let prepared: Promise<void> | undefined
  let closing: Promise<void> | undefined
  // Without these listeners, a broken connection would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  enforceStatementTimeout(pool, timeout)
  closeReadOnlyConnections(pool)

  return {
    async query(sql, values) {
      prepared ??= prepare(queryNow)
      try {
        await prepared
      } catch (error) {
        prepared = undefined
        throw error
      }
      return queryNow(sql, values)
    },
    close: () => (closing ??= pool.end()),
  }

  async function queryNow<T>(sql: string | PreparedSql, values: readonly unknown[] = []): Promise<T[]> {
    if (closing !== undefined) throw new ApiError('SERVICE_UNAVAILABLE', 'The engine is closed')
    try {
      const rows = await queryPool(pool, { sql, values })
      if (isAway) log.info("the engine's database is reachable again")
      isAway = false
      return rows as T[]
    } catch (cause) {
      // One line per disconnect and one per reconnect are enough.
      if (!isAway && closing === undefined) log.warn("the engine's database is unreachable", { error: String(cause) })
      isAway = true
      throw new ApiError('SERVICE_UNAVAILABLE', "The engine's database is unreachable", { cause, retryAfter: 1 })
    }
  }
}
