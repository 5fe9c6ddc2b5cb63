const NOW = `date_trunc('milliseconds', clock_timestamp())`

/**
 * The part of the statement that creates runs which adds their threads. Until the statement or its transaction ends, the
 * threads are locked, in the same order as by every other statement.
 */
export const USE_THREADS: string = `insert into sdk_threads (agent, user_id, thread)
  select distinct agent, user_id, thread from free where user_id is not null and thread is not null order by 1, 2, 3
  on conflict (agent, user_id, thread) do update set used_at = ${NOW}
  returning agent, user_id, thread, used_at`

/**
 * The turn of a new run, joined with its locked thread. The turns of a thread therefore have the order in which its runs
 * become visible. A run that does not wait for its turn has none: a thread can have only one such run.
 */
export const NEXT_TURN = `case when in_turn and used_at is not null then nextval('sdk_thread_turns') else 0 end`

/** The part of a write that stores the state of a thread together with the end of its run. */
export const SAVE_STATE: string = `insert into sdk_threads (agent, user_id, thread, state)
  select agent, user_id, thread, state from ended where thread is not null and state is not null order by 1, 2, 3
  on conflict (agent, user_id, thread) do update set state = excluded.state, used_at = ${NOW}`

/** The condition that all earlier runs of a run's thread have ended. */
export const IS_FIRST = `(turn = 0 or not exists (select from sdk_runs earlier where earlier.agent = sdk_runs.agent
  and earlier.user_id = sdk_runs.user_id and earlier.thread = sdk_runs.thread and earlier.turn < sdk_runs.turn
  and earlier.ended_at is null))`

const USED_AT = `to_char(used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "usedAt"`

/** The query for a thread. */
export const GET_THREAD = {
  name: 'sdk_thread_get',
  text: `select thread, state, ${USED_AT} from sdk_threads where agent = $1 and user_id = $2 and thread = $3`,
}

/** The query for the threads of a user. */
export const LIST_THREADS = {
  name: 'sdk_thread_list',
  text: `select thread, null as state, ${USED_AT} from sdk_threads where agent = $1 and user_id = $2
    and ($3::timestamptz is null or (used_at, thread) < ($3::timestamptz, $4))
    order by used_at desc, thread desc limit $5`,
}

/** The statement that deletes a thread and its ended runs. Writes to ended runs are rejected, so nothing is left over. */
export const DELETE_THREAD = `with gone as (
    delete from sdk_runs where agent = $1 and user_id = $2 and thread = $3 and ended_at is not null returning id
  ), pages as (delete from sdk_run_pages where run in (select id from gone)
  ), events as (delete from sdk_run_events where run in (select id from gone)
  ), steps as (delete from sdk_run_steps where run in (select id from gone))
  delete from sdk_threads where agent = $1 and user_id = $2 and thread = $3`
