import type { Log } from '@sdk/server'
import type { EngineQuery } from './engine-connection.ts'
import type { PostgresStreamOptions } from './postgres-streams.ts'
import type { TableNames } from './tables.ts'

interface DeleteExpiredOptions extends Required<PostgresStreamOptions> {
  readonly names: TableNames
  readonly log: Log
}

/** The average interval between a process's cleanups, in ms. The actual interval is random. */
const DELETE_INTERVAL_MS = 60_000

/** The maximum number of streams that one statement deletes, so that it does not lock many rows for a long time. */
const MAX_STREAMS = 1_000

/** Starts deleting expired rows periodically. Returns a function that stops the cleanup. */
export function startDeletingExpired(query: EngineQuery, options: DeleteExpiredOptions): () => void {
  const timer = setInterval(() => void deleteExpired(), DELETE_INTERVAL_MS * (0.5 + Math.random())).unref()
  return () => clearInterval(timer)

  async function deleteExpired(): Promise<void> {
    try {
      for (const sql of deleteStreamsStatements(options))
        for (let count = MAX_STREAMS; count === MAX_STREAMS;) count = (await query(sql)).length
      for (const sql of deleteStatements(options)) await query(sql)
    } catch (error) {
      options.log.debug('could not delete expired rows; retrying at the next cleanup', { error: String(error) })
    }
  }
}

/**
 * Returns the statements that delete the messages of idle streams, and later their positions. Positions are kept longer
 * than messages, so that an epoch lasts as long as clients can resume from it. Streams without messages do not count
 * toward the limit: they would keep the statement from finding the others. Each statement returns the streams, and is
 * repeated until it returns fewer than `MAX_STREAMS`.
 */
function deleteStreamsStatements({ names: { streams, messages }, keepFor }: DeleteExpiredOptions): string[] {
  const limit = `for update skip locked limit ${MAX_STREAMS}`
  return [
    `with idle as (
        select stream from ${streams} known where ${old(`${Math.ceil(keepFor)} seconds`)}
          and exists (select from ${messages} where stream = known.stream) ${limit}
      ), gone as (delete from ${messages} where stream in (select stream from idle))
      select stream from idle`,
    // Messages may be left, for example because no process was running in the meantime.
    `with gone as (
        delete from ${streams} where stream in (select stream from ${streams} where ${old('1 day')} ${limit})
        returning stream
      ), left_over as (delete from ${messages} where stream in (select stream from gone))
      select stream from gone`,
  ]
}

/** Returns the statements that delete other expired rows. Rows that another process has locked are skipped if possible. */
function deleteStatements({ names, keep }: DeleteExpiredOptions): string[] {
  const { streams, messages, members, processes, sequences, limits, values, owned, owners } = names
  return [
    // During a burst, a stream stores more than `keep` messages. The surplus is deleted afterwards.
    `delete from ${messages} kept using ${streams} known
      where kept.stream = known.stream and kept.number <= known.last - ${keep} and known.${old('10 seconds')}`,
    `delete from ${processes} where until < now() - interval '1 minute'`,
    `delete from ${members} where process not in (select process from ${processes})`,
    `delete from ${sequences} where ${old('1 hour')}`,
    `delete from ${limits} where full_at < extract(epoch from now()) * 1000`,
    `delete from ${values} where ends < now() - interval '1 minute'`,
    `delete from ${owned} where (owner, since) in (
      select owner, since from ${owned} where ends < now() - interval '1 minute' for update skip locked)`,
    `delete from ${owners} old where ends < now() - interval '1 hour' and not exists (
      select from ${owned} where owner = old.owner)`,
  ]
}

function old(interval: string): string {
  return `at < now() - interval '${interval}'`
}
