import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@sdk/server'
import { createClaimedNames } from '../engine/claimed-names.ts'
import type { EngineQuery } from '../engine/engine-connection.ts'
import { openNotificationListener } from '../engine/notification-listener.ts'
import { keyOf, type Database, type PreparedSql } from '../database.ts'
import type { DatabaseShare } from '../default-database.ts'
import { isInspecting } from '../is-inspecting.ts'
import { currentTransaction, leaveTransaction, runOutside, type JoinedTransaction } from '../joined-transaction.ts'
import { migrationsApplied } from '../migrate/apply-migrations.ts'
import { retryable } from '../retryable.ts'
import { createStatementRunner, toPrepared } from '../statement-runner.ts'
import { throwMismatch } from '../table-mismatch.ts'
import { LOCK_PREFIX } from './run-sql.ts'
import { createRunTables } from './run-tables.ts'

/** A function that runs one statement, always outside the caller's transaction. */
export type RunSqlQuery = (
  statement: string | PreparedSql,
  values?: readonly unknown[],
) => Promise<Record<string, unknown>[]>

/** The processes that use a store, each with a listener for changed runs. */
type Processes = Map<string, (run: string | null) => void>

/** The processes that use each embedded database. All of them are part of this program. */
const embeddedProcesses = new WeakMap<object, Processes>()

const CHANNEL = 'sdk_runs'

/**
 * The maximum time in ms that a process waits for its listening connection. Without this connection, other processes
 * may take over its runs.
 */
const CONNECT_MS = 10_000

/** How long after a lost connection other processes may still be reconnecting, in ms. */
const RECONNECT_MS = 10_000

/** An open database that contains the tables for runs. */
export interface OpenRuns {
  readonly kind: Database['kind']
  /** The channel for notifications, or null for an embedded database. */
  readonly channel: string | null
  readonly processes: Processes
  readonly query: RunSqlQuery
  /** The functions for statements that are part of the caller's transaction. */
  readonly joined: JoinedRuns
  join(process: string, onNews: (run: string | null) => void): Promise<void>
  leave(process: string): Promise<void>
  /** Returns whether this process was disconnected a moment ago. Others may then seem dead that are reconnecting too. */
  isReconnecting(): boolean
  /** Notifies the other processes of an embedded database. On PostgreSQL, the statements themselves do this. */
  deliver(from: string, run: string | null): void
}

/** The functions for statements that are part of the caller's transaction. */
export interface JoinedRuns {
  /** Returns the caller's transaction. Throws a `TypeError` if there is none in this database. */
  transaction(subject: string): JoinedTransaction
  readonly query: RunSqlQuery
  /** Returns a statement as it is sent to the database. */
  prepare(statement: PreparedSql): string | PreparedSql
}

/** The functions that open and close the database of a store. */
export interface RunsOpener {
  /** Opens the database and creates the tables once. After a failure, the next call tries again. */
  open(): Promise<OpenRuns>
  /** Returns the open database inside a transaction. If it is not open yet, the transaction runs again afterwards. */
  openInside(): Promise<OpenRuns>
  close(): Promise<void>
}

export function createRunsOpener(share: () => DatabaseShare, log: Log): RunsOpener {
  let shared: DatabaseShare | null = null
  let closeListener = (): Promise<void> => Promise.resolve()
  let opened: OpenRuns | null = null
  const open = retryable(async () => {
    if (isInspecting()) throw new Error('Runs cannot be used while the CLI inspects the project')
    shared ??= share()
    const database = await shared.database
    await migrationsApplied().catch(throwMismatch)
    const run = createStatementRunner(database)
    await leaveTransaction(() => createRunTables(run))
    const inside: RunSqlQuery = (statement, values = []) =>
      run({ ...(typeof statement === 'string' ? { text: statement } : statement), values })
    const query: RunSqlQuery = (statement, values) => leaveTransaction(() => inside(statement, values))
    const joined: JoinedRuns = {
      transaction: (subject) => findTransaction(keyOf(database), subject),
      query: inside,
      prepare: (statement) => toPrepared(database, statement),
    }
    if (database.kind === 'pglite') return (opened = { ...openEmbedded(database, query), joined })
    const server = openServer(database, query, log)
    closeListener = server.close
    return (opened = { ...server, joined })
  })
  return {
    open,
    openInside: () => (opened === null ? runOutside(open) : Promise.resolve(opened)),
    async close() {
      await closeListener()
      await shared?.release()
    },
  }
}

function findTransaction(key: unknown, subject: string): JoinedTransaction {
  const transaction = currentTransaction(key)
  if (transaction !== null) return transaction
  throw new TypeError(
    `${subject} must be inside a transaction in the database of the runs: ` +
      'pass the same database to postgresRuns({ database }) and to the tables',
  )
}

function openEmbedded(database: Database, query: RunSqlQuery): Omit<OpenRuns, 'joined'> {
  const key = keyOf(database) as object
  const processes: Processes = embeddedProcesses.get(key) ?? new Map()
  embeddedProcesses.set(key, processes)
  return {
    kind: 'pglite',
    channel: null,
    processes,
    query,
    join: async (process, onNews) => void processes.set(process, onNews),
    leave: async (process) => void processes.delete(process),
    isReconnecting: () => false,
    deliver: (from, run) => notifyOthers(processes, from, run),
  }
}

/** Listens for notifications from other processes. The listening connection also holds the locks of its processes. */
function openServer(
  database: Database,
  query: RunSqlQuery,
  log: Log,
): Omit<OpenRuns, 'joined'> & { close(): Promise<void> } {
  const processes: Processes = new Map()
  const names = createClaimedNames(query as EngineQuery, LOCK_PREFIX)
  let reconnectedAt = Number.NEGATIVE_INFINITY
  let isLost = false
  let onConnected: () => void = () => {}
  const connected = new Promise<void>((resolve) => (onConnected = resolve))
  const listener = openNotificationListener({
    url: String(database.pool.options.connectionString),
    channel: CHANNEL,
    timeout: 5_000,
    prepare: names.connected,
    connected() {
      if (isLost) reconnectedAt = performance.now()
      isLost = false
      onConnected()
      notifyOthers(processes, '', null) // notifications may have been missed
    },
    disconnected() {
      isLost = true
      log.debug('the connection that listens for changes to runs was lost')
    },
    onNotification(payload) {
      const [from = '', ...runs] = payload.split(' ')
      for (const run of runs) notifyOthers(processes, from, run)
    },
  })
  return {
    kind: 'postgres',
    channel: CHANNEL,
    processes,
    query,
    async join(process, onNews) {
      await Promise.race([connected, sleep(CONNECT_MS, undefined, { ref: false })])
      processes.set(process, onNews)
      await names.acquire(process)
    },
    leave(process) {
      processes.delete(process)
      return names.release(process)
    },
    isReconnecting: () => isLost || performance.now() - reconnectedAt < RECONNECT_MS,
    deliver: () => {},
    close: () => listener.close(),
  }
}

function notifyOthers(processes: Processes, from: string, run: string | null): void {
  for (const [process, onNews] of processes) if (process !== from) onNews(run)
}
