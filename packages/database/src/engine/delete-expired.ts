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

/** Starts deleting expired rows periodically. Returns a function that stops the cleanup. */
export function startDeletingExpired(query: EngineQuery, options: DeleteExpiredOptions): () => void {
  const timer = setInterval(() => void deleteExpired(), DELETE_INTERVAL_MS * (0.5 + Math.random())).unref()
  return () => clearInterval(timer)

  async function deleteExpired(): Promise<void> {
    try {
      for (const sql of deleteStatements(options)) await query(sql)
    } catch (error) {
      options.log.debug('could not delete expired rows; retrying at the next cleanup', { error: String(error) })
    }
  }
}

/** Returns the statements that delete expired rows. Rows that another process has locked are skipped if possible. */
function deleteStatements({ names, keep, keepFor }: DeleteExpiredOptions): string[] {
  const { streams, messages, members, processes, sequences, limits, values, owned, owners } = names
  const old = (interval: string): string => `at < now() - interval '${interval}'`
  return [
    `delete from ${messages} where stream in (
      select stream from ${streams} where ${old(`${Math.ceil(keepFor)} seconds`)} for update skip locked limit 1000)`,
    // During a burst, a stream stores more than `keep` messages. The surplus is deleted afterwards.
    `delete from ${messages} kept using ${streams} known
      where kept.stream = known.stream and kept.number <= known.last - ${keep} and known.${old('10 seconds')}`,
    // Positions are kept longer than messages, so that an epoch lasts as long as clients can resume from it.
    `delete from ${streams} where stream in (
      select stream from ${streams} where ${old('1 day')} for update skip locked limit 10000)`,
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
