import type { PoolClient } from 'pg'
import { isSerializationFailure } from '../sql-error.ts'
import { BATCHED_UPDATE } from './migration-file.ts'

/** The number of rows per batch. Small batches keep transactions short. */
const BATCH_ROWS = 1_000

const MAX_ATTEMPTS = 20

/**
 * Runs an update in batches of rows, in the order of their ids, each batch in its own transaction. The update sets
 * neither `version` nor `updated_at`, so that clients do not have to read all rows again.
 */
export async function runInBatches(client: PoolClient, sql: string): Promise<void> {
  const table = BATCHED_UPDATE.exec(sql)?.[1] ?? ''
  const update = sql.replace(/;\s*$/, '')
  let last: string | null = null
  for (;;) {
    const after: string = last === null ? '' : ` where id > ${last}`
    const { rows } = await client.query<{ to: string | null }>(
      `select max(id)::text as to from (select id from ${table}${after} order by id limit ${BATCH_ROWS}) batch`,
    )
    const to: string | null = rows[0]?.to ?? null
    if (to === null) return
    const isAfter: string = last === null ? '' : ` and ${table}.id > ${last}`
    await runBatch(client, `${update}\n${isAfter} and ${table}.id <= ${to}`)
    last = to
  }
}

async function runBatch(client: PoolClient, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return void (await client.query(sql))
    } catch (error) {
      // A deadlock is possible, since requests may lock the same rows in a different order.
      if (!isSerializationFailure(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Runs a statement that cannot run in a transaction. First drops the invalid index left by a failed attempt. */
export async function runWithoutTransaction(client: PoolClient, sql: string): Promise<void> {
  const index = CONCURRENT_INDEX.exec(sql)?.[1]
  if (index !== undefined) {
    const invalid = 'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid'
    const { rows } = await client.query(invalid, [index])
    if (rows.length > 0) await client.query(`drop index concurrently if exists ${index}`)
  }
  await client.query(sql)
}

const CONCURRENT_INDEX =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?("(?:[^"]|"")+"|\w+)\s/im
