import { crashedEnd, RUN_LIMITS, SUSPECT_CRASHES } from '@sdk/server'
import { LOCK_PREFIX, notify, type RunSql } from './run-sql.ts'
import { IS_FIRST } from './thread-sql.ts'

/**
 * The query for live processes: their lease is valid, and their listening connection holds their lock. Both are
 * checked, since a frozen process keeps its connection, and a killed process keeps its lease. Just after PostgreSQL has
 * started, or if the claiming process was disconnected ($6), all of them count as live: the others are reconnecting too,
 * and their leases may have expired in the meantime. An embedded database is used only by the processes of this program,
 * which are passed as a list.
 */
const LIVE = {
  postgres: `select process from sdk_run_processes where $6::boolean
    or pg_postmaster_start_time() > clock_timestamp() - interval '5 seconds'
    or until > clock_timestamp()
      and not pg_try_advisory_xact_lock(hashtextextended('${LOCK_PREFIX} ' || process, 0))`,
  pglite: `select process from unnest($6::text[]) as process`,
}

/** The runs that no process executes: they are queued, or wait until a time. The index `sdk_runs_ready` contains them. */
export const IS_READY = `(status = 'queued' or status = 'waiting' and due_at is not null)`

/** The time since when such a run can be claimed. */
export const READY_AT = `coalesce(due_at, created_at)`

/**
 * Returns the statement that takes over runs: first those of lost processes, and then those that have been ready for the
 * longest time, so that neither queued nor woken runs starve. It is a single statement, so that the chunks of two
 * processes are never mixed.
 */
export function claimSql(kind: keyof typeof LIVE): RunSql {
  const isCrash = `runs.status = 'running'`
  const hasFailed = `(${isCrash} and runs.crashes + 1 >= ${RUN_LIMITS.crashes})`
  const error = `'${(crashedEnd().error ?? '').replaceAll("'", "''")}'`
  return {
    name: `sdk_run_claim_${kind}`,
    text: `with live as materialized (${LIVE[kind]}), crashed as materialized (
        select id, crashes, created_at from sdk_runs where status = 'running' and agent = any($2::text[])
          and process <> $1 and process not in (select process from live)
        order by crashes between ${SUSPECT_CRASHES} and ${SUSPECT_CRASHES + 1}, created_at limit $3 for update skip locked
      ), lost as materialized (
        select id from (
          select *, row_number() over (partition by crashes order by created_at) as place from crashed
        ) as each_crashed where place <= coalesce(($5::int[])[crashes - ${SUSPECT_CRASHES - 1}], $3)
      ), ready as materialized (
        select oldest.id from unnest($2::text[]) as known (agent) cross join lateral (
          select id, ${READY_AT} as since from sdk_runs
          where sdk_runs.agent = known.agent and ${IS_READY} and ${READY_AT} <= now() and ${IS_FIRST}
          order by ${READY_AT} limit $3 for update skip locked
        ) as oldest order by since limit $3::bigint - (select count(*) from lost)
      ), taken as (
        update sdk_runs runs set epoch = runs.epoch + 1, crashes = runs.crashes + (${isCrash})::int, base = runs.kept,
          status = case when ${hasFailed} then 'failed' else 'running' end, due_at = null, waiting = null, waits = null,
          error = case when ${hasFailed} then ${error} end, process = case when ${hasFailed} then null else $1 end,
          ended_at = case when ${hasFailed} then clock_timestamp() end,
          expires_at = case when ${hasFailed} then clock_timestamp() + make_interval(secs => runs.keep_for) end,
          retractions = case when runs.epoch = 0 or runs.status = 'waiting' and not exists (select from sdk_run_pages page
              where page.run = runs.id and page.first + page.count > runs.kept) then runs.retractions
            else runs.retractions || jsonb_build_array(jsonb_build_array(runs.epoch + 1, runs.kept)) end
        from (select id from lost union all select id from ready) as free where runs.id = free.id returning runs.*
      ), gone as (
        delete from sdk_run_pages page using taken where page.run = taken.id and page.first >= taken.kept
      )
      select id, agent, user_id as "userId", key, thread, input, address, trace, epoch, kept, crashes,
        status = 'failed' as "hasFailed",
        (select coalesce(sum(bytes), 0) from sdk_run_pages page where page.run = taken.id and page.first < taken.kept) as size,
        ${notify('taken', '$4')} as notified
      from taken`,
  }
}
