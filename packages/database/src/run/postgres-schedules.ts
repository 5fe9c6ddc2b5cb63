import type { ScheduleStore } from '@sdk/server'
import type { RunSqlQuery } from './open-runs.ts'

const BEGIN = {
  name: 'sdk_run_schedule_begin',
  text: `with given as (
      select * from unnest($2::text[], $3::text[]) with ordinality as given (agent, name, number)
    ), gone as (
      delete from sdk_run_schedules old where agent = any($1::text[])
        and not exists (select from given where given.agent = old.agent and given.name = old.name)
    ), made as (
      insert into sdk_run_schedules (agent, name, last) select agent, name, to_timestamp($4::float8 / 1000) from given
      on conflict do nothing
    )
    select extract(epoch from last) * 1000 as last
    from given left join sdk_run_schedules using (agent, name) order by number`,
}

const RECORD = {
  name: 'sdk_run_schedule_record',
  text: `update sdk_run_schedules set last = greatest(last, to_timestamp($3::float8 / 1000))
    where agent = $1 and name = $2`,
}

/** Creates the store of schedules in a database. */
export function postgresSchedules(query: RunSqlQuery): ScheduleStore {
  return {
    async begin({ agents, schedules, now }) {
      const columns = [schedules.map(({ agent }) => agent), schedules.map(({ name }) => name)]
      const rows = await query(BEGIN, [agents, ...columns, now])
      return rows.map(({ last }) => Math.round(Number(last ?? now)))
    },
    async record({ agent, name }, tick) {
      await query(RECORD, [agent, name, tick])
    },
  }
}
