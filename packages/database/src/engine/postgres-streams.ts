import type { Engine, EngineFrame, EnginePosition } from '@sdk/server'
import type { StreamSource } from '@sdk/server/engine'
import { channelKey } from './notification-listener.ts'
import { Batcher } from './request-batcher.ts'
import type { EngineQuery } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { fromColumnText, toColumnText } from './column-text.ts'

/** Options for an engine's streams. */
export interface PostgresStreamOptions {
  /**
   * The number of messages kept per stream, for clients that reconnect. This number must be the same in all processes.
   * @default 1000
   */
  keep?: number
  /** How long messages are kept after the last message in their stream, in seconds. @default 300 */
  keepFor?: number
}

/** The streams in PostgreSQL. */
export interface PostgresStreams extends Pick<Engine, 'publish' | 'history'>, Pick<StreamSource, 'read'> {
  /** Resolves when no append is pending. */
  settled(): Promise<void>
}

interface StreamsDependencies extends Required<PostgresStreamOptions> {
  readonly query: EngineQuery
  readonly names: TableNames
  readonly channel: string
}

interface ReadRequest {
  readonly stream: string
  /** The position to read from. If it is null, only the end of the stream is returned. */
  readonly after: EnginePosition | null
  readonly limit: number
}

/** The result of one read: the end of the stream and the messages that were read. */
interface ReadResult {
  head: EnginePosition
  /** Whether the stream's messages have expired. */
  isStale: boolean
  readonly frames: EngineFrame[]
}

/**
 * The number of slots per kept message, so that messages written before a notification is delivered do not overwrite
 * unread ones.
 */
const SLOTS = 8
const MAX_APPENDS_PER_QUERY = 1_000
const MAX_READS_PER_QUERY = 200
const PAGE_SIZE = 1_000

/** Creates the streams of an engine. Concurrent appends are batched, as are concurrent reads. */
export function createPostgresStreams({ query, names, channel, keep, keepFor }: StreamsDependencies): PostgresStreams {
  const sql = toStreamSql(names)
  const appends = new Batcher(MAX_APPENDS_PER_QUERY, appendAll)
  const reads = new Batcher(MAX_READS_PER_QUERY, readAll)

  return {
    publish: (stream, data) => appends.add({ stream, data }),
    settled: () => appends.settled(),
    async read(stream, position) {
      if (position === undefined) await query(sql.open, [toColumnText(stream), keep * SLOTS])
      const { head, frames } = await reads.add({ stream, after: position ?? null, limit: PAGE_SIZE })
      return { head, frames, isComplete: frames.length < PAGE_SIZE }
    },
    async history(stream, after, limit) {
      // The position comes from a client, so it is validated.
      if (!Number.isSafeInteger(after.offset) || after.offset < 0 || !/^\d{1,18}$/.test(after.epoch)) return 'gap'
      const { head, isStale, frames } = await reads.add({ stream, after, limit: Math.max(1, limit) })
      const behind = head.offset - after.offset
      if (head.epoch !== after.epoch || behind < 0 || behind > keep || (behind > 0 && isStale)) return 'gap'
      return frames.slice(0, Math.max(0, limit))
    },
  }

  async function appendAll(batch: readonly Pick<EngineFrame, 'stream' | 'data'>[]): Promise<EnginePosition[]> {
    const rows = await query<{ epoch: string; number: number }>(sql.append, [
      batch.map(({ stream }) => toColumnText(stream)),
      batch.map(({ data }) => toColumnText(data)),
      keep * SLOTS,
      channel,
      batch.map(({ stream }) => channelKey(stream)),
    ])
    return rows.map(({ epoch, number }) => ({ epoch, offset: number }))
  }

  async function readAll(batch: readonly ReadRequest[]): Promise<ReadResult[]> {
    const rows = await query<ReadRow>(sql.read, [
      batch.map(({ stream }) => toColumnText(stream)),
      batch.map(({ after }) => after?.epoch ?? null),
      batch.map(({ after }) => after?.offset ?? null),
      batch.map(({ limit }) => limit),
      keepFor,
    ])
    const found = batch.map((): ReadResult => ({ head: { epoch: '', offset: 0 }, isStale: false, frames: [] }))
    for (const row of rows) {
      const [read, one] = [batch[row.at - 1], found[row.at - 1]]
      if (read === undefined || one === undefined || row.epoch === null) continue
      const { epoch, last, is_old: isStale, number, data } = row
      Object.assign(one, { head: { epoch, offset: last }, isStale })
      if (number !== null) one.frames.push({ stream: read.stream, epoch, offset: number, data: fromColumnText(data) })
    }
    return found
  }
}

interface ReadRow {
  readonly at: number
  readonly epoch: string | null
  readonly last: number
  readonly is_old: boolean
  readonly number: number | null
  readonly data: string
}

/** The SQL for a new epoch: the time at which it starts, in ms. */
const EPOCH_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

function toStreamSql({ streams, messages }: TableNames) {
  return {
    open: {
      name: 'sdk_engine_open',
      text: `insert into ${streams} (stream, epoch, last, ring, at) values ($1, ${EPOCH_NOW}, 0, $2, now()) on conflict do nothing`,
    },
    // Streams are locked in a fixed order, so that two processes cannot deadlock.
    append: {
      name: 'sdk_engine_append',
      text: `
with sent as (
  select stream, data, mark, nth, row_number() over (partition by stream order by nth) as place
  from unnest($1::text[], $2::text[], $5::text[]) with ordinality as sent (stream, data, mark, nth)
), counted as (
  select stream, mark, count(*) as count from sent group by stream, mark
), head as (
  insert into ${streams} as known (stream, epoch, last, ring, at)
  select stream, ${EPOCH_NOW}, count, $3::int, now() from counted order by stream collate "C"
  on conflict (stream) do update set last = known.last + excluded.last, at = now()
  returning stream, epoch, last, ring
), placed as (
  select sent.nth, sent.stream, sent.data, head.epoch, head.ring, head.last, head.last - counted.count + sent.place as number
  from sent join head using (stream) join counted using (stream)
), written as (
  insert into ${messages} as known (stream, slot, number, data)
  select stream, number % ring, number, data from placed where number > last - ring
  on conflict (stream, slot) do update set number = excluded.number, data = excluded.data
), told as (
  select count(pg_notify($4, mark)) from counted
)
select epoch::text, number from placed, told order by nth`,
    },
    // Looks up the requested slots of each stream. If a position is in a different epoch, reads the stream from its
    // start.
    read: {
      name: 'sdk_engine_read',
      text: `
select asked.at, known.epoch::text, known.last, known.at < now() - make_interval(secs => $5) as is_old,
  found.number, found.data
from unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[]) with ordinality as asked (stream, epoch, number, most, at)
left join ${streams} known on known.stream = asked.stream
left join lateral (
  select greatest(case when asked.epoch = known.epoch then asked.number else 0 end, known.last - known.ring) as number
) begin on asked.epoch is not null
left join lateral (
  select number, data from ${messages} kept
  where kept.stream = asked.stream and kept.slot = any (array(
    select (wanted % known.ring)::int
    from generate_series(begin.number + 1, least(known.last, begin.number + asked.most)) as wanted
  )) and kept.number > begin.number
) found on true
order by asked.at, found.number`,
    },
  }
}
