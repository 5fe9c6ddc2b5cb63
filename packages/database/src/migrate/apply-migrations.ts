import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@sdk/server'
import type { PoolClient } from 'pg'
import type { Database } from '../database.ts'
import { throwUnavailable } from '../connection-error.ts'
import { shareDefaultDatabase } from '../default-database.ts'
import { retryable } from '../retryable.ts'
import { findSqlError } from '../sql-error.ts'
import { disableTimeout } from '../statement-timeout.ts'
import { quoteIdent } from '../table-layout.ts'
import { MigrationError, readMigrations, type MigrationFile } from './migration-file.ts'
import { findPendingStep, listPendingFiles, type PendingStep, type AppliedStep } from './pending-step.ts'
import { runInBatches, runWithoutTransaction } from './run-step.ts'

let applying = (): Promise<void> => Promise.resolve()

/** Resolves when the migration files of this process have been applied. Tables wait for it. */
export function migrationsApplied(): Promise<void> {
  return applying()
}

/**
 * Applies the pending files in a folder to the default database. No table is opened before they have been applied. Each
 * step is applied once, even if several processes start concurrently. After a failure, the next use of a table tries
 * again.
 */
export async function applyMigrations(folder: string, log: Log): Promise<void> {
  const files = readMigrations(folder)
  applying =
    files.length === 0 ? () => Promise.resolve() : retryable(() => withDefault((one) => applyFiles(one, files, log)))
  return applying()
}

/** Lists the files in a folder that have not been completely applied to the default database. */
export async function listPendingMigrations(folder: string): Promise<{ name: string; steps: number }[]> {
  const files = readMigrations(folder)
  if (files.length === 0) return []
  return withDefault((database) =>
    withClient(database, async (client) => listPendingFiles(files, await readApplied(client))),
  )
}

/** Applies the pending steps of the files, one by one. */
export async function applyFiles(database: Database, files: readonly MigrationFile[], log: Log): Promise<void> {
  await withClient(database, async (client) => {
    // A pending step may have to wait for a transaction that locks its table.
    for (let failures = 0; failures < MAX_FAILURES;) {
      const next = findPendingStep(files, await readApplied(client))
      if (next === null) return
      const outcome = await underLock({ client, log }, next, () => applyStep(client, files, next))
      if (outcome === 'locked') {
        failures += 1
        log.warn('migration is waiting for a locked table', { file: next.file, step: next.number })
        await sleep(RETRY_MS * Math.random())
      } else if (outcome === 'applied') log.info('migration applied', { file: next.file, step: next.number })
    }
    throw new MigrationError(
      'a migration could not lock its table: end the transaction that holds the lock (see pg_stat_activity)',
    )
  })
}

const MAX_FAILURES = 100
const RETRY_MS = 2_000
const POLL_MS = 200

async function withDefault<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const share = shareDefaultDatabase()
  try {
    return await work(await share.database)
  } finally {
    await share.release()
  }
}

/** Runs `work` on a connection that is closed afterwards, since session locks and settings belong to a connection. */
async function withClient<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect().catch(throwUnavailable)
  try {
    disableTimeout(client)
    await client.query('set statement_timeout = 0')
    return await work(client).catch(throwUnavailable)
  } finally {
    client.release(true)
  }
}

async function readApplied(client: PoolClient): Promise<AppliedStep[]> {
  const { rows } = await client.query<{ found: boolean }>(`select to_regclass('sdk_migrations') is not null as found`)
  if (rows[0]?.found !== true) return []
  const applied = await client.query<AppliedStep>('select file, step, steps, checksum from sdk_migrations')
  return applied.rows
}

interface Session {
  readonly client: PoolClient
  readonly log: Log
}

/**
 * Runs `work` in one process at a time. The lock is polled: while a process waits in `pg_advisory_lock`, its snapshot
 * would make every `create index concurrently` fail with a deadlock. Backfills have a separate lock, since they are
 * slow.
 */
async function underLock<T>({ client, log }: Session, { mode }: PendingStep, work: () => Promise<T>): Promise<T> {
  const key = [mode === 'batches' ? 'sdk backfill' : 'sdk migrations']
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query<{ locked: boolean }>(TRY_LOCK, key)
    if (rows[0]?.locked === true) break
    if (tries === 0) log.info("waiting for another process's migration")
    await sleep(POLL_MS)
  }
  try {
    return await work()
  } finally {
    // A failure is ignored: if the connection was lost, PostgreSQL has already released the lock.
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', key).catch(() => {})
  }
}

const TRY_LOCK = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked'

type Outcome = 'applied' | 'locked' | 'done by another process'

async function applyStep(client: PoolClient, files: readonly MigrationFile[], step: PendingStep): Promise<Outcome> {
  const current = findPendingStep(files, await readApplied(client))
  if (current?.file !== step.file || current.number !== step.number) return 'done by another process'
  try {
    await client.query(CREATE_TABLE)
    await (step.mode === 'transaction' ? runInTransaction(client, step) : runOutside(client, step))
    return 'applied'
  } catch (error) {
    await client.query('rollback').catch(() => {})
    const { code } = findSqlError(error) ?? {}
    if (code === '55P03' || code === '40P01') return 'locked'
    if (code === undefined || error instanceof MigrationError) throw error
    const message = error instanceof Error ? error.message : String(error)
    const fix = 'earlier steps remain applied; correct this step and start again'
    throw new MigrationError(`migrations/${step.file}, step ${step.number}: ${message}: ${fix}`, { cause: error })
  }
}

const CREATE_TABLE = `create table if not exists sdk_migrations (
  file text, step integer, steps integer not null, checksum text not null, applied_at timestamptz not null default now(),
  primary key (file, step))`

/** Runs a step and records it in one transaction, so that a killed process leaves both or neither. */
async function runInTransaction(client: PoolClient, step: PendingStep): Promise<void> {
  await client.query('begin')
  await client.query(`set local lock_timeout = '2s'`)
  if (await isNeeded(client, step)) await client.query(step.sql)
  await record(client, step)
  await client.query('commit')
}

async function runOutside(client: PoolClient, step: PendingStep): Promise<void> {
  if (await isNeeded(client, step))
    await (step.mode === 'batches' ? runInBatches(client, step.sql) : runWithoutTransaction(client, step.sql))
  await record(client, step)
}

async function isNeeded(client: PoolClient, { table }: PendingStep): Promise<boolean> {
  if (table === null) return true
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    quoteIdent(table),
  ])
  return rows[0]?.found === true
}

async function record(client: PoolClient, { file, number, steps, checksum }: PendingStep): Promise<void> {
  await client.query('insert into sdk_migrations (file, step, steps, checksum) values ($1, $2, $3, $4)', [
    file,
    number,
    steps,
    checksum,
  ])
}
