import type { EngineKv } from '@sdk/server'
import { OWNER_LIMIT, ownedSize } from '@sdk/server/engine'
import type { PreparedSql } from '../database.ts'
import type { EngineQuery } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { toColumnText } from './column-text.ts'

interface PreparedStatement extends PreparedSql {
  readonly values: readonly unknown[]
}

/** The SQL condition for a value that exists and has not expired. */
export const IS_PRESENT = 'key = $1 and (ends is null or ends > clock_timestamp())'

/** The SQL condition for a stored value that has expired. */
export const HAS_EXPIRED = 'known.ends is not null and known.ends <= clock_timestamp()'

/** Creates the compare-and-set operation for values in PostgreSQL. */
export function createCompareAndSet(query: EngineQuery, names: TableNames): EngineKv['compareAndSet'] {
  return async (key, { from, to, ttl = null, owner }) => {
    const before = from === null ? null : toColumnText(from)
    const after = to === null ? null : toColumnText(to)
    const statement = toStatement(names.values, { name: toColumnText(key), before, after, ttl })
    const isOwned = owner !== undefined && to !== null
    const { values, ...sql } = isOwned
      ? toOwnedStatement(names, statement, [toColumnText(owner), ownedSize(key, to)])
      : statement
    return (await query(sql, values)).length > 0
  }
}

interface CompareAndSetValues {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
  readonly ttl: number | null
}

/** Creates a statement that returns a row if it succeeds. The row contains the key and expiry of a new value. */
function toStatement(values: string, { name, before, after, ttl }: CompareAndSetValues): PreparedStatement {
  // If both values are null, the statement only checks that no value is stored.
  if (before === null && after === null)
    return {
      name: 'sdk_engine_none',
      text: `select 1 where not exists (select from ${values} where ${IS_PRESENT})`,
      values: [name],
    }
  if (before === null)
    return {
      name: 'sdk_engine_begin',
      text: `insert into ${values} as known (key, value, ends) values ($1, $2, ${expiresAfter('$3')})
        on conflict (key) do update set value = excluded.value, ends = excluded.ends where ${HAS_EXPIRED} returning key, ends`,
      values: [name, after, ttl],
    }
  if (after === null)
    return {
      name: 'sdk_engine_end',
      text: `delete from ${values} where ${IS_PRESENT} and value = $2 returning 1`,
      values: [name, before],
    }
  return {
    name: 'sdk_engine_swap',
    text: `update ${values}
      set value = $3, ends = case when $4::double precision is null then ends else ${expiresAfter('$4')} end
      where ${IS_PRESENT} and value = $2 returning key, ends`,
    values: [name, before, after, ttl],
  }
}

/**
 * Extends a statement so that it counts the value toward its owner's limit and deletes values beyond the limit. The
 * total only grows: expired values are not subtracted. The owner's row is locked, so concurrent writes are counted one
 * at a time.
 */
function toOwnedStatement(
  { values, owned, owners }: TableNames,
  statement: PreparedStatement,
  [owner, size]: [string, number],
): PreparedStatement {
  const [$owner, $size] = [`$${statement.values.length + 1}`, `$${statement.values.length + 2}`]
  return {
    name: `${statement.name}_owned`,
    text: `
with kept as (${statement.text}), counted as (
  insert into ${owners} as known (owner, total, ends) select ${$owner}, ${$size}::bigint, ends from kept
  on conflict (owner) do update
    set total = known.total + excluded.total, ends = greatest(known.ends, excluded.ends)
  returning owner, total
), noted as (
  insert into ${owned} (owner, since, key, ends) select owner, total - ${$size}::bigint, key, kept.ends from counted, kept
), over as (
  delete from ${owned} old using counted
  where old.owner = counted.owner and old.since < counted.total - ${OWNER_LIMIT} returning old.key, old.ends
), gone as (
  -- Expired values are deleted by the cleanup. A value with another expiry is a different value for the same key.
  delete from ${values} old using over
  where old.key = over.key and old.ends = over.ends and old.ends > clock_timestamp()
)
select 1 from kept`,
    values: [...statement.values, owner, size],
  }
}

/** Returns the SQL for the time at which a new value expires. */
export function expiresAfter(seconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${seconds}::double precision)`
}
