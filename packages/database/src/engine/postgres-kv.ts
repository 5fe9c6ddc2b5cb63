import type { EngineKv } from '@sdk/server'
import { Batcher } from './request-batcher.ts'
import type { EngineQuery } from './engine-connection.ts'
import { createCompareAndSet, expiresAfter, IS_PRESENT, HAS_EXPIRED } from './compare-and-set.ts'
import type { TableNames } from './tables.ts'
import { fromColumnText, toColumnText } from './column-text.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

/** The maximum number of values per statement. Each value can be as large as 1 MiB. */
const MAX_WRITES_PER_QUERY = 64

type Writes = Batcher<{ readonly key: string; readonly value: string; readonly ttl: number | null }, void>

/**
 * Creates the key-value store in PostgreSQL. Concurrent writes are combined into one statement, since a process that is
 * shutting down writes thousands of values.
 */
export function createPostgresKv(query: EngineQuery, names: TableNames): EngineKv & Pick<Writes, 'settled'> {
  const { values } = names
  const writes = createWriteBatcher(query, values)
  const isInteger = `known.value ~ '^-?[0-9]{1,16}$'`

  return {
    settled: () => writes.settled(),
    async get(key) {
      const [row] = await query<{ value: string }>(
        { name: 'sdk_engine_get', text: `select value from ${values} where ${IS_PRESENT}` },
        [toColumnText(key)],
      )
      return row === undefined ? null : fromColumnText(row.value)
    },
    async set(key, value, options) {
      await writes.add({ key: toColumnText(key), value: toColumnText(value), ttl: options?.ttl ?? null })
    },
    async delete(key) {
      const rows = await query<{ was: boolean }>(
        `delete from ${values} where key = $1 returning ends is null or ends > clock_timestamp() as was`,
        [toColumnText(key)],
      )
      return rows[0]?.was === true
    },
    async increment(key, by, options) {
      const [row] = await query<{ value: string }>(
        `insert into ${values} as known (key, value, ends) values ($1, $2::bigint::text, ${expiresAfter('$3')})
         on conflict (key) do update set
           value = case when ${HAS_EXPIRED} then excluded.value else (known.value::numeric + $2::bigint)::text end,
           ends = case when ${HAS_EXPIRED} then excluded.ends else known.ends end
         where case when ${HAS_EXPIRED} then true
           when ${isInteger} then abs(known.value::numeric + $2::bigint) <= ${LARGEST} else false end
         returning value`,
        [toColumnText(key), by, options?.ttl ?? null],
      )
      return row === undefined ? null : Number(row.value)
    },
    compareAndSet: createCompareAndSet(query, names),
  }
}

/** Creates a batcher that writes a batch with one statement. Keys are sorted, so that two processes cannot deadlock. */
function createWriteBatcher(query: EngineQuery, values: string): Writes {
  const sql = {
    name: 'sdk_engine_set',
    text: `insert into ${values} (key, value, ends)
      select key, value, ${expiresAfter('ttl')} from unnest($1::text[], $2::text[], $3::double precision[]) as told (key, value, ttl)
      order by key collate "C"
      on conflict (key) do update set value = excluded.value, ends = excluded.ends`,
  }
  return new Batcher(MAX_WRITES_PER_QUERY, async (batch) => {
    // A statement can change a row only once. For each key, the last value wins.
    const rows = [...new Map(batch.map((row) => [row.key, row])).values()]
    await query(sql, [rows.map(({ key }) => key), rows.map(({ value }) => value), rows.map(({ ttl }) => ttl)])
    return []
  })
}
