import type { EngineKv } from '@sdk/server'
import { OWNER_LIMIT, ownedSize } from '@sdk/server/engine'
import type { Ask } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { toText } from './column-text.ts'

interface Statement {
  /** How it is prepared. */
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** Is this value there still? */
export const HERE = 'key = $1 and (ends is null or ends > clock_timestamp())'

/** Has the value that is there ended? */
export const OVER = 'known.ends is not null and known.ends <= clock_timestamp()'

/** Swaps values in PostgreSQL. */
export function createSwap(ask: Ask, names: TableNames): EngineKv['swap'] {
  return async (key, { from, to, ttl = null, owner }) => {
    const [name, before, after] = [toText(key), from === null ? null : toText(from), to === null ? null : toText(to)]
    const swap = toSwap(names.values, { name, before, after, ttl })
    const isOwned = owner !== undefined && to !== null
    const { values, ...sql } = isOwned ? toOwned(names, swap, [toText(owner), ownedSize(key, to)]) : swap
    return (await ask(sql, values)).length > 0
  }
}

interface SwapValues {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
  readonly ttl: number | null
}

/** Gives a row, with the end of what was written, where it did. */
function toSwap(values: string, { name, before, after, ttl }: SwapValues): Statement {
  // From nothing to nothing: only looks whether there is none.
  if (before === null && after === null)
    return {
      name: 'sdk_engine_none',
      text: `select 1 where not exists (select from ${values} where ${HERE})`,
      values: [name],
    }
  if (before === null)
    return {
      name: 'sdk_engine_begin',
      text: `insert into ${values} as known (key, value, ends) values ($1, $2, ${ends('$3')})
        on conflict (key) do update set value = excluded.value, ends = excluded.ends where ${OVER} returning key, ends`,
      values: [name, after, ttl],
    }
  if (after === null)
    return {
      name: 'sdk_engine_end',
      text: `delete from ${values} where ${HERE} and value = $2 returning 1`,
      values: [name, before],
    }
  return {
    name: 'sdk_engine_swap',
    text: `update ${values}
      set value = $3, ends = case when $4::double precision is null then ends else ${ends('$4')} end
      where ${HERE} and value = $2 returning key, ends`,
    values: [name, before, after, ttl],
  }
}

/**
 * The same, counted for an owner: with it goes what is too much. Sums only grow, so nothing that ended has to be taken off;
 * the row of the owner is locked, so those who keep at once count one after the other.
 */
function toOwned({ values, owned, owners }: TableNames, swap: Statement, [owner, size]: [string, number]): Statement {
  const [$owner, $size] = [`$${swap.values.length + 1}`, `$${swap.values.length + 2}`]
  return {
    name: `${swap.name}_owned`,
    text: `
with kept as (${swap.text}), counted as (
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
  -- One that has ended is left to those who clean up; at another end, it is something of somebody else.
  delete from ${values} old using over
  where old.key = over.key and old.ends = over.ends and old.ends > clock_timestamp()
)
select 1 from kept`,
    values: [...swap.values, owner, size],
  }
}

/** When what is written now ends. */
export function ends(seconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${seconds}::double precision)`
}
