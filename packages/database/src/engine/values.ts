import type { Engine } from '@sdk/server'
import type { Ask } from './link.ts'
import type { TableNames } from './tables.ts'
import { fromText, toText } from './text.ts'

const LARGEST = Number.MAX_SAFE_INTEGER

/** The store of texts in PostgreSQL. */
export function createValues(ask: Ask, { values }: TableNames): Engine['kv'] {
  const ends = (parameter: string): string =>
    `clock_timestamp() + make_interval(secs => ${parameter}::double precision)`
  const over = `known.ends is not null and known.ends <= clock_timestamp()`
  const here = `key = $1 and (ends is null or ends > clock_timestamp())`
  const isInteger = `known.value ~ '^-?[0-9]{1,16}$'`

  return {
    async get(key) {
      const [row] = await ask<{ value: string }>(
        { name: 'sdk_engine_get', text: `select value from ${values} where ${here}` },
        [toText(key)],
      )
      return row === undefined ? null : fromText(row.value)
    },
    async set(key, value, options) {
      const sql = `insert into ${values} (key, value, ends) values ($1, $2, ${ends('$3')})
        on conflict (key) do update set value = excluded.value, ends = excluded.ends`
      await ask(sql, [toText(key), toText(value), options?.ttl ?? null])
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
           value = case when ${over} then excluded.value else (known.value::numeric + $2::bigint)::text end,
           ends = case when ${over} then excluded.ends else known.ends end
         where case when ${over} then true
           when ${isInteger} then abs(known.value::numeric + $2::bigint) <= ${LARGEST} else false end
         returning value`,
        [toText(key), by, options?.ttl ?? null],
      )
      return row === undefined ? null : Number(row.value)
    },
    async swap(key, { from, to, ttl }) {
      const [name, before, after] = [toText(key), from === null ? null : toText(from), to === null ? null : toText(to)]
      const rows = await ask(swapSql(), swapValues())
      return rows.length > 0

      function swapSql(): string {
        // Nothing by nothing: is there nothing?
        if (before === null && after === null) return `select 1 where not exists (select from ${values} where ${here})`
        if (before === null)
          return `insert into ${values} as known (key, value, ends) values ($1, $2, ${ends('$3')})
            on conflict (key) do update set value = excluded.value, ends = excluded.ends where ${over} returning 1`
        if (after === null) return `delete from ${values} where ${here} and value = $2 returning 1`
        return `update ${values} set value = $3, ends = case when $4::double precision is null then ends else ${ends('$4')} end
          where ${here} and value = $2 returning 1`
      }

      function swapValues(): unknown[] {
        if (before === null) return after === null ? [name] : [name, after, ttl ?? null]
        return after === null ? [name, before] : [name, before, after, ttl ?? null]
      }
    },
  }
}
