import { INLINE_SIZE, RUN_LIMITS } from '@sdk/server'
import type { RunSql } from './run-sql.ts'

/**
 * The statement that sends an event. It locks the run, so that the event comes either before the run pauses, which then
 * makes it due, or after that. The run's row lists the keys of its events, since only a row is read again after a lock.
 */
export const SEND: RunSql = {
  name: 'sdk_run_send',
  text: `with target as materialized (
      select id, ended_at, status = 'waiting' and $3 = any(waits) as is_due, $4::text is not null
        and (cardinality(events) >= ${RUN_LIMITS.events} or events_size + length($4) > ${RUN_LIMITS.eventsSize}) as is_full
      from sdk_runs where id = $2 for update
    ), sent as (
      insert into sdk_run_events (run, key, value, print)
      select id, $3, $4, $5 from target where ended_at is null and not is_full on conflict do nothing returning run as id
    ), changed as (
      update sdk_runs runs set events = array_append(runs.events, $3::text),
        events_size = runs.events_size + coalesce(length($4), 0),
        due_at = case when $3 = any(runs.waits) then clock_timestamp() else runs.due_at end
      from sent where runs.id = sent.id
    )
    select exists (select from sent) as "isSent", ended_at is not null as "isEnded", is_due as "isDue", is_full as "isFull",
      (select print from sdk_run_events where run = $2 and key = $3) as print,
      (select pg_notify($6, $1 || ' ' || target.id || case when is_due then ' *' else '' end)
        where $6::text is not null and exists (select from sent)) as notified from target`,
}

/** Columns with a value, unless it is long. */
export const INLINE: string = `case when octet_length(value) <= ${INLINE_SIZE} then value end as value,
  coalesce(octet_length(value) > ${INLINE_SIZE}, false) as "isLong"`

/** The query for all events of a run. */
export const EVENTS: RunSql = {
  name: 'sdk_run_events',
  text: `select key as name, ${INLINE} from sdk_run_events where run = $1`,
}

/** The query for an event. */
export const EVENT: RunSql = {
  name: 'sdk_run_event',
  text: 'select value from sdk_run_events where run = $1 and key = $2',
}
