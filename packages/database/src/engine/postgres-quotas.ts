import type { Grant, GrantRequest, QuotaStore } from '@sdk/server/engine'
import { Batcher } from './request-batcher.ts'
import type { EngineQuery } from './engine-connection.ts'
import type { TableNames } from './tables.ts'
import { toColumnText } from './column-text.ts'

const MAX_GRANTS_PER_QUERY = 200

/**
 * Creates the quota store in PostgreSQL. It uses the PostgreSQL server's clock. A quota is stored as one number: the
 * time at which it is full again.
 */
export function createPostgresQuotas(query: EngineQuery, { limits }: TableNames): QuotaStore {
  const sql = { name: 'sdk_engine_grant', text: grantSql(limits) }
  const requests = new Batcher(MAX_GRANTS_PER_QUERY, grantAll)
  return { grant: (all) => Promise.all(all.map((request) => requests.add(request))) }

  async function grantAll(batch: readonly GrantRequest[]): Promise<Grant[]> {
    return query<Grant>(sql, [
      batch.map(({ policy }) => toColumnText(policy.name)),
      batch.map(({ key }) => toColumnText(key)),
      batch.map(({ wanted }) => wanted),
      batch.map(({ policy }) => policy.quota),
      batch.map(({ policy }) => policy.window),
    ])
  }
}

const NOW_MS = 'extract(epoch from clock_timestamp())::double precision * 1000'

/**
 * Returns the SQL for the same algorithm as `gcra` in `@sdk/server`, except that it may grant only some of the
 * requested units. Rows are locked in a fixed order.
 */
function grantSql(limits: string): string {
  return `
with asked as (
  select policy, key, nth, ${NOW_MS} as now, "window" * 1000 as room, "window" * 1000 / quota as step,
    least(wanted, quota) as wanted
  from unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[], $5::double precision[])
    with ordinality as asked (policy, key, wanted, quota, "window", nth)
), taken as (
  insert into ${limits} as known (policy, key, full_at, granted, step, room)
  select policy, key, now + wanted * step, wanted, step, room from asked order by policy collate "C", key collate "C"
  on conflict (policy, key) do update set (full_at, granted) = (
    select begin.at + given.units * excluded.step, given.units
    from (select ${NOW_MS} as now) clock,
      lateral (select greatest(known.full_at, clock.now) as at) begin,
      lateral (select case when excluded.granted < 0 then excluded.granted else greatest(0, least(
        excluded.granted, floor((excluded.room - (begin.at - clock.now)) / excluded.step + 1e-9))) end as units) given
  ), step = excluded.step, room = excluded.room
  returning policy, key, granted, full_at
)
select taken.granted, taken.full_at - ${NOW_MS} as "fullIn" from asked join taken using (policy, key) order by asked.nth`
}
