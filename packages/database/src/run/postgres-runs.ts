import {
  createLog,
  type ClaimedRun,
  type CreatedRun,
  type InspectableRunStore,
  type Log,
  type NewRun,
  type RunChunks,
  type RunClaim,
  type RunInspector,
  type RunPage,
  type RunQuery,
  type RunStore,
  type RunWrite,
  type ScheduleStore,
  type SendOutcome,
  type SentEvent,
  type StoredRun,
  type StoredStep,
  type StoredValue,
  type ThreadStore,
  type TransactionStepOutcome,
} from '@sdk/server'
import type { Database, PreparedSql } from '../database.ts'
import { defaultDatabaseUrl } from '../database-url.ts'
import { borrowDatabase, shareDefaultDatabase } from '../default-database.ts'
import { currentTransaction } from '../joined-transaction.ts'
import { findSqlError } from '../sql-error.ts'
import type { Batcher } from '../engine/request-batcher.ts'
import { claimSql } from './claim-sql.ts'
import { createJoined, createRunBatcher } from './create-runs.ts'
import { databaseInspector } from './inspect-runs.ts'
import { createRunsOpener, type RunsOpener } from './open-runs.ts'
import * as sql from './run-sql.ts'
import { LIST, LIST_WAITING } from './list-sql.ts'
import { postgresSchedules } from './postgres-schedules.ts'
import { postgresThreads } from './postgres-threads.ts'
import { createStepReader, toInline, type InlineRow, type StepReader } from './step-reader.ts'
import * as stepSql from './step-sql.ts'
import { DELETIONS, FIND_UNKNOWN, MAX_DELETED } from './sweep-sql.ts'
import { toStepWrite, toWrite } from './write-columns.ts'

/** Options for `postgresRuns`. */
export interface PostgresRunsOptions {
  /**
   * The database that stores the runs. The code that opened it must close it.
   * @default the database at `DATABASE_URL`, or `pglite://.sdk/data`
   */
  database?: Database
  /** The number of seconds after which a process that does not respond loses its runs. @default 30 */
  lease?: number
  /** The log that reports a lost connection. @default createLog() */
  log?: Log
}

/**
 * Creates the store for the runs of durable agents in a PostgreSQL or embedded database. On PostgreSQL, it needs direct
 * connections, since transaction poolers do not support `LISTEN`.
 * @example createApp({ agents: [research], runs: postgresRuns() })
 */
export function postgresRuns({
  database,
  lease = 30,
  log = createLog(),
}: PostgresRunsOptions = {}): InspectableRunStore {
  if (database === undefined) defaultDatabaseUrl() // checked now: a server without a database must not start
  const share = database === undefined ? shareDefaultDatabase : () => borrowDatabase(database)
  return new PostgresRunStore(createRunsOpener(share, log), lease)
}

/** How often a statement is repeated that found a row of a statement that had not yet been committed. */
const MAX_TRIES = 5

class PostgresRunStore implements InspectableRunStore {
  readonly inspect: RunInspector = databaseInspector((text, values) => this.#query(text, values), this)
  readonly schedules: ScheduleStore
  readonly threads: ThreadStore
  readonly #opener: RunsOpener
  readonly #lease: number
  readonly #creates: Pick<Batcher<NewRun, CreatedRun>, 'add'>
  readonly #steps: StepReader

  constructor(opener: RunsOpener, lease: number) {
    this.#opener = opener
    this.#lease = lease
    this.#creates = createRunBatcher(() => opener.open())
    this.#steps = createStepReader(async (...statement) => (await opener.open()).query(...statement))
    this.threads = postgresThreads(opener)
    this.schedules = postgresSchedules((statement, values) => this.#query(statement, values))
  }

  async ready(): Promise<void> {
    await this.#opener.open()
  }

  async join(process: string, onNews: (run: string | null) => void): Promise<void> {
    await (await this.#opener.open()).join(process, onNews)
    await this.renew(process)
  }

  async now(): Promise<number> {
    const text = 'select extract(epoch from clock_timestamp()) * 1000 as now'
    return Math.floor(Number((await this.#query<{ now: number }>(text))[0]?.now))
  }

  async renew(process: string): Promise<ReadonlySet<string>> {
    const rows = await this.#query<{ id: string }>(sql.RENEW, [process, this.#lease])
    return new Set(rows.map(({ id }) => id))
  }

  async leave(process: string): Promise<void> {
    await (await this.#opener.open()).leave(process)
    await this.#query('delete from sdk_run_processes where process = $1', [process])
  }

  create(run: NewRun): Promise<CreatedRun> {
    return this.#creates.add(run)
  }

  async createInTransaction(run: NewRun, { isReplacing } = { isReplacing: false }): Promise<CreatedRun> {
    return createJoined(await this.#opener.openInside(), run, isReplacing)
  }

  async finishInTransaction(
    process: string,
    write: Parameters<NonNullable<RunStore['finishInTransaction']>>[1],
  ): Promise<TransactionStepOutcome> {
    const { joined } = await this.#opener.openInside()
    joined.transaction('a step with { transaction: true }')
    const [row] = await joined.query(...toStepWrite(process, write, null)).catch(throwRejection)
    if (row === undefined) return 'lost'
    return row['isStored'] === true ? 'stored' : 'known'
  }

  async claim(process: string, { agents, limit, suspects = [limit, limit] }: RunClaim): Promise<ClaimedRun[]> {
    const { kind, channel, processes, isReconnecting, deliver } = await this.#opener.open()
    const live = kind === 'pglite' ? [...processes.keys()] : isReconnecting()
    const rows = await this.#query<ClaimedRun>(claimSql(kind), [process, agents, limit, channel, suspects, live])
    for (const { id } of rows) deliver(process, id)
    return rows
  }

  async write(process: string, writes: readonly RunWrite[]): Promise<boolean[]> {
    const { channel, deliver } = await this.#opener.open()
    const rows = await this.#query<{ id: string }>(...toWrite(process, writes, channel)).catch(throwRejection)
    const owned = new Set(rows.map(({ id }) => id))
    for (const id of owned) deliver(process, id)
    return writes.map(({ id }) => owned.has(id))
  }

  async retract(process: string, { id, epoch, keep }: Parameters<RunStore['retract']>[1]): Promise<number | null> {
    const { channel, deliver } = await this.#opener.open()
    const [row] = await this.#query<{ epoch: number }>(sql.RETRACT, [process, id, epoch, keep, channel])
    deliver(process, id)
    return row?.epoch ?? null
  }

  async release(process: string, ids: readonly string[]): Promise<void> {
    const { channel, deliver } = await this.#opener.open()
    await this.#query(sql.RELEASE, [process, ids, channel])
    deliver(process, '*')
  }

  async cancel(id: string, process: string): Promise<boolean> {
    const { channel, deliver } = await this.#opener.open()
    const rows = await this.#query(sql.CANCEL, [process, id, channel])
    if (rows.length > 0) deliver(process, id)
    return rows.length > 0
  }

  async send({ run, key, value, print }: SentEvent, process: string): Promise<SendOutcome> {
    const { channel, deliver } = await this.#opener.open()
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const [row] = await this.#query<SendRow>(stepSql.SEND, [process, run, key, value, print, channel])
      if (row?.isSent === true) {
        for (const news of row.isDue === true ? [run, '*'] : [run]) deliver(process, news)
        return 'sent'
      }
      if (typeof row?.print === 'string') return row.print === print ? 'joined' : 'reused'
      if (row?.isEnded !== false) return 'ended'
      if (row.isFull) return 'full'
      // Another process has just sent an event with the same key: try again.
    }
    throw new Error(`the event ${key} could not be sent`)
  }

  async events(run: string): Promise<ReadonlyMap<string, StoredValue>> {
    const rows = await this.#query<InlineRow>(stepSql.EVENTS, [run])
    return new Map(rows.map((row) => [row.name, { value: toInline(row) }]))
  }

  async event(run: string, key: string): Promise<Pick<SentEvent, 'value'> | null> {
    return (await this.#query<Pick<SentEvent, 'value'>>(stepSql.EVENT, [run, key]))[0] ?? null
  }

  async get(id: string): Promise<StoredRun | null> {
    const [run = null] = await this.#query<StoredRun>(sql.GET, [id])
    return run
  }

  async read(id: string, from: number): Promise<RunChunks | null> {
    const [row] = await this.#query<StoredRun & { pages: PageRow[] }>(sql.READ, [id, from])
    if (row === undefined) return null
    const { pages, ...run } = row
    return { run, pages: pages.map(toPage) }
  }

  steps(id: string): Promise<ReadonlyMap<string, StoredStep>> {
    return this.#steps.steps(id)
  }

  stepValue(id: string, name: string): Promise<string | null> {
    return this.#steps.value(id, name)
  }

  async list({ agent, of, thread, limit, after }: RunQuery): Promise<StoredRun[]> {
    const [statement, first] = 'userId' in of ? [LIST, of.userId] : [LIST_WAITING, of.waiting]
    return this.#query<StoredRun>(statement, [first, agent, thread, after?.createdAt, after?.id, limit])
  }

  async sweep(agents: readonly string[]): Promise<string[]> {
    for (const statement of DELETIONS)
      for (let count = MAX_DELETED; count === MAX_DELETED;) count = (await this.#query(statement)).length
    return (await this.#query<{ agent: string }>(FIND_UNKNOWN, [agents])).map(({ agent }) => agent)
  }

  async deleteUser(userId: string): Promise<void> {
    // Cancelling waits for writes in progress, whose chunks and steps the second statement then sees.
    const { channel, deliver } = await this.#opener.open()
    for (let count = sql.MAX_CANCELLED; count === sql.MAX_CANCELLED;) {
      const rows = await this.#query<{ id: string }>(sql.CANCEL_USER, ['', userId, channel])
      for (const { id } of rows) deliver('', id)
      count = rows.length
    }
    await this.#query(sql.DELETE_USER, [userId])
    await this.#query('delete from sdk_threads where user_id = $1', [userId])
  }

  isInTransaction(): boolean {
    return currentTransaction() !== null
  }

  close(): Promise<void> {
    return this.#opener.close()
  }

  async #query<T = unknown>(statement: string | PreparedSql, values?: readonly unknown[]): Promise<T[]> {
    return (await this.#opener.open()).query(statement, values) as Promise<T[]>
  }
}

/** Throws a `RangeError` if the database rejects the data: it is invalid, too large, or violates a constraint. */
function throwRejection(error: unknown): never {
  if (!/^(?:22|23|54|P0)/.test(findSqlError(error)?.code ?? '')) throw error
  throw new RangeError('the database rejected the data of a run', { cause: error })
}

interface SendRow {
  readonly isSent: boolean
  readonly isEnded: boolean
  readonly isDue: boolean | null
  readonly isFull: boolean
  readonly print: string | null
}

type PageRow = readonly [epoch: number, first: number, data: string]

function toPage([epoch, first, data]: PageRow): RunPage {
  return { epoch, first, chunks: data.split('\n') }
}
