import { THREAD_TTL_MS } from '@sdk/server'
import { IS_READY } from './claim-sql.ts'

/** The maximum number of expired rows that one statement deletes. It is repeated until it deletes fewer. */
export const MAX_DELETED = 500

const LIMIT = `limit ${MAX_DELETED} for update skip locked`

/**
 * The statement that deletes the data of expired runs. The runs themselves are kept for a month, so that readers get
 * 410 instead of 404.
 */
const EXPIRE = `with expired as (
    update sdk_runs set is_gone = true, input = null, output = null, error = null, waiting = null, waits = null,
      events = '{}', due_at = null,
      expires_at = clock_timestamp() + interval '30 days'
    where id in (select id from sdk_runs where not is_gone and expires_at < now() ${LIMIT})
    returning id
  ), pages as (delete from sdk_run_pages where run in (select id from expired)
  ), events as (delete from sdk_run_events where run in (select id from expired)
  ), steps as (delete from sdk_run_steps where run in (select id from expired))
  select id from expired`

/** The statement that deletes expired runs and processes. */
const DELETE_EXPIRED = `with processes as (
    delete from sdk_run_processes where until < now() - interval '1 hour'
  )
  delete from sdk_runs where id in (select id from sdk_runs where is_gone and expires_at < now() ${LIMIT})
  returning id`

/** The statement that deletes threads that were not used for a long time, unless they have an unfinished run. */
const DELETE_UNUSED = `delete from sdk_threads where (agent, user_id, thread) in (
    select agent, user_id, thread from sdk_threads one
    where used_at < now() - interval '${THREAD_TTL_MS} milliseconds' and not exists (
      select from sdk_runs runs where runs.agent = one.agent and runs.user_id = one.user_id
        and runs.thread = one.thread and runs.ended_at is null)
    ${LIMIT})
  returning thread`

/**
 * The statements that delete expired rows, and return the runs or threads that they have deleted. They compare with
 * `now()`, since indexes are not used for `clock_timestamp()`, which changes during a statement.
 */
export const DELETIONS: readonly string[] = [EXPIRE, DELETE_EXPIRED, DELETE_UNUSED]

/** The query for other agents than `$1` that have unfinished runs. An index contains the runs of each of its parts. */
export const FIND_UNKNOWN: string = `select distinct agent from (
    select agent from sdk_runs where status = 'running'
    union all
    select agent from sdk_runs where ${IS_READY} and (status = 'queued' or due_at < now())
  ) as unfinished where agent <> all($1::text[])`
