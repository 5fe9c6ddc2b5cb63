import type { EngineKv } from '@sdk/server'
import { createGathering, type Gathering } from './request-batcher.ts'
import type { Ask } from './engine-connection.ts'
import { createSwap, ends, HERE, OVER } from './compare-and-set.ts'
import type { TableNames } from './tables.ts'
import { fromText, toText } from './column-text.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

/** What is written together at most: values may have a MiB each. */
const TOGETHER = 64

/** The store of texts in PostgreSQL. */
export interface Values extends EngineKv {
  /** Settles when nothing is being written. */
  settled(): Promise<void>
}

interface Written {
  readonly key: string
  readonly value: string
  readonly ttl: number | null
}

/** The store of texts in PostgreSQL. What is set at once is one statement: a process that ends writes thousands. */
export function createValues(ask: Ask, names: TableNames): Values {
  const { values } = names
  const writing = createWriting(ask, values)
  const isInteger = `known.value ~ '^-?[0-9]{1,16}$'`

  return {
    settled: writing.settled,
    async get(key) {
      const [row] = await ask<{ value: string }>(
        { name: 'sdk_engine_get', text: `select value from ${values} where ${HERE}` },
        [toText(key)],
      )
      return row === undefined ? null : fromText(row.value)
    },
    async set(key, value, options) {
      await writing.add({ key: toText(key), value: toText(value), ttl: options?.ttl ?? null })
    },
    async delete(key) {
      const rows = await ask<{ was: boolean }>(
        `delete from ${values} where key = $1 returning ends is null or ends > clock_timestamp() as was`,
        [toText(key)],
      )
      return rows[0]?.was === true
    },
    async increment(key, by, options) {
      const [row] = await ask<{ value: string }>(
        `insert into ${values} as known (key, value, ends) values ($1, $2::bigint::text, ${ends('$3')})
         on conflict (key) do update set
           value = case when ${OVER} then excluded.value else (known.value::numeric + $2::bigint)::text end,
           ends = case when ${OVER} then excluded.ends else known.ends end
         where case when ${OVER} then true
           when ${isInteger} then abs(known.value::numeric + $2::bigint) <= ${LARGEST} else false end
         returning value`,
        [toText(key), by, options?.ttl ?? null],
      )
      return row === undefined ? null : Number(row.value)
    },
    swap: createSwap(ask, names),
  }
}

/** Writes what comes together with one statement, in one order, so that two processes never wait for each other. */
function createWriting(ask: Ask, values: string): Gathering<Written, void> {
  const sql = {
    name: 'sdk_engine_set',
    text: `insert into ${values} (key, value, ends)
      select key, value, ${ends('ttl')} from unnest($1::text[], $2::text[], $3::double precision[]) as told (key, value, ttl)
      order by key collate "C"
      on conflict (key) do update set value = excluded.value, ends = excluded.ends`,
  }
  return createGathering({
    most: TOGETHER,
    async ask(batch) {
      // A statement may change a row once; of one key the last value counts.
      const rows = [...new Map(batch.map((row) => [row.key, row])).values()]
      await ask(sql, [rows.map(({ key }) => key), rows.map(({ value }) => value), rows.map(({ ttl }) => ttl)])
      return []
    },
  })
}
