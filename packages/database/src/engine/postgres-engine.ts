import { createLog, type Engine, type Log } from '@sdk/server'
import { createLeasedQuotas, createSharedPresence, createSharedSequence, type SequenceStore } from '@sdk/server/engine'
import { createStreamSubscriber } from './stream-subscriber.ts'
import { createPostgresQuotas } from './postgres-quotas.ts'
import { toColumnText } from './column-text.ts'
import { openEngineConnection, type EngineQuery } from './engine-connection.ts'
import { createClaimedNames } from './claimed-names.ts'
import { createPostgresPresence } from './postgres-presence.ts'
import { createPostgresStreams, type PostgresStreamOptions } from './postgres-streams.ts'
import { startDeletingExpired } from './delete-expired.ts'
import { createTables, toTableNames, type TableNames } from './tables.ts'
import { createPostgresKv } from './postgres-kv.ts'

/** Options for `postgresEngine`. */
export interface PostgresEngineOptions extends PostgresStreamOptions {
  /** The prefix for table and channel names, for services that share one database. @default 'sdk' */
  prefix?: string
  /** The number of seconds after which a killed process is removed from all rooms. @default 15 */
  lease?: number
  /** The timeout for a statement, in ms. @default 5000 */
  timeout?: number
  /** The maximum number of connections, in addition to the connection that listens for notifications. @default 4 */
  connections?: number
  /** The log that reports when the database becomes unreachable and when it is reachable again. @default createLog() */
  log?: Log
}

/**
 * Creates an engine for multiple processes on one PostgreSQL database (14 or later). It needs direct connections, since
 * transaction poolers do not support `LISTEN`.
 * @example createApp({ router, engine: postgresEngine(process.env.DATABASE_URL) })
 */
export function postgresEngine(url: string, options: PostgresEngineOptions = {}): Engine {
  const { timeout = 5_000, log = createLog(), prefix = 'sdk', lease = 15, connections = 4 } = options
  const { keep = 1_000, keepFor = 300 } = options
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new TypeError('a PostgreSQL URL must start with postgres:// or postgresql://')
  const tables = toTableNames(prefix)
  const channel = `${prefix}_engine`
  const prepare = (now: EngineQuery): Promise<void> => createTables(now, tables)
  const { query, close } = openEngineConnection({ url, timeout, connections, log, prepare })
  const streams = createPostgresStreams({ keep, keepFor, query, names: tables, channel })
  const names = createClaimedNames(query, prefix)
  const { read } = streams
  const subscriber = createStreamSubscriber({ url, channel, timeout, log, read, prepare: names.connected })
  const ms = Math.ceil(lease * 1000)
  const presence = createSharedPresence({ store: createPostgresPresence(query, tables, ms), log, lease: ms })
  const sequence = createSharedSequence(createPostgresSequence(query, tables))
  const values = createPostgresKv(query, tables)
  const quotas = createLeasedQuotas(createPostgresQuotas(query, tables))
  const stopCleaning = startDeletingExpired(query, { names: tables, keep, keepFor, log })
  let closed: Promise<void> | undefined

  return {
    publish: streams.publish,
    subscribe: subscriber.subscribe,
    history: streams.history,
    presence,
    sequence,
    kv: values,
    take: quotas.take,
    names,
    async check() {
      await query('select 1')
    },
    close: () => (closed ??= end()),
  }

  async function end(): Promise<void> {
    stopCleaning()
    const settled = [sequence, streams, values].map((one) => one.settled())
    await Promise.all([presence.close(), quotas.close(), subscriber.close(), ...settled])
    await close()
  }
}

/** Creates the store for sequence numbers in PostgreSQL. */
function createPostgresSequence(query: EngineQuery, { sequences }: TableNames): SequenceStore {
  const read = { name: 'sdk_engine_handled', text: `select handled from ${sequences} where session = $1` }
  // The rows are sorted, so that two processes cannot deadlock.
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
