import { MAX_PAGE_CHUNKS } from '@sdk/server'
import { SAVE_STATE } from './thread-sql.ts'

/** A prepared statement. */
export interface RunSql {
  readonly name: string
  readonly text: string
}

/** The maximum total size of the pages that one statement returns. The first page is included even if it is larger. */
const READ_SIZE = 1_048_576

/** The prefix for the names of process locks. */
export const LOCK_PREFIX = 'sdk_run'

/** The assignments that set when a run ended and when it expires. */
const ENDED = `ended_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => runs.keep_for)`

/** Returns the SQL that formats a time as ISO 8601. */
export const toTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The columns of a stored run. */
export const RUN: string = `id, agent, user_id as "userId", thread, is_stream as "isStream", status, epoch, retractions, output, error,
  case when status = 'queued' then input end as input, case when status = 'waiting' then waiting end as waiting,
  ${toTime('created_at')} as "createdAt", ${toTime('ended_at')} as "endedAt", is_gone as "isGone",
  greatest(kept, base, (select first + count from sdk_run_pages page
    where page.run = runs.id and page.epoch = runs.epoch order by first desc limit 1)) as chunks`

/**
 * The query that fences writes. It locks the runs that still belong to the process and epoch. A takeover waits for this
 * lock, and a write that waits for a takeover finds that the run belongs to another process.
 */
const OWN = `select locked.id from given cross join lateral (
    select id from sdk_runs runs where runs.id = given.id and runs.epoch = given.epoch and runs.process = $1
      and runs.status = 'running' for key share) as locked`

/**
 * Returns the condition for updating the locked runs whose write satisfies a condition. PostgreSQL finds rows of an array
 * by index, while it may join a table that has just grown by reading all of it.
 */
const isGiven = (condition: string): string =>
  `runs.id = given.id and runs.id = any(array(select id from given join own using (id) where ${condition}))`

/** Returns the SQL that notifies other processes about the runs in `table`. Embedded databases have no channel. */
export const notify = (table: string, channel: string): string =>
  `(select pg_notify(${channel}, $1 || ' ' || string_agg(id, ' ')) from ${table} where ${channel}::text is not null
    having count(*) > 0)`

/** The condition for notifying about each write: a single process would only notify itself. */
const HAS_OTHERS = `exists (select from sdk_run_processes where process <> $1)`

const insertSteps = (columns: string): string => `insert into sdk_run_steps (run, name, value, chunks, trace)
      select run, name, value, chunks, trace
      from unnest(${columns}) with ordinality as step (run, name, value, chunks, trace, place)
      join own on own.id = step.run order by place on conflict do nothing`

/** Returns the update for runs that continue: a finished step keeps its chunks, and shows that the run makes progress. */
const changeKept = (
  condition: string,
): string => `update sdk_runs runs set kept = greatest(runs.kept, given.kept), crashes = 0
      from given where ${isGiven(condition)}
        and (runs.kept < given.kept or given.kept is not null and runs.crashes > 0)`

/** The statement that stores the pages, steps and results of several runs. */
export const WRITE: RunSql = {
  name: 'sdk_run_write',
  text: `with given as materialized (
      select * from unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::text[], $8::int[], $9::text[],
        $10::text[], $11::text[], $17::timestamptz[], $18::text[], $19::text[], $21::text[])
        as given (id, epoch, first, count, bytes, data, kept, status, output, error, due, waiting, waits, state)
    ), own as materialized (${OWN}), paged as (
      insert into sdk_run_pages (run, epoch, first, count, bytes, data)
      select id, epoch, first, count, bytes, data from given join own using (id) where count > 0 on conflict do nothing
    ), stepped as (${insertSteps('$12::text[], $13::text[], $14::text[], $15::int[], $20::text[]')}), changed as (
      ${changeKept('given.status is null')}
    ), ended as (
      update sdk_runs runs set kept = greatest(runs.kept, given.kept), status = given.status, output = given.output,
        error = given.error, process = null, ${ENDED}
      from given where ${isGiven(`given.status <> 'waiting'`)}
      returning runs.agent, runs.user_id, runs.thread, given.state
    ), saved as (${SAVE_STATE}), paused as (
      update sdk_runs runs set kept = greatest(runs.kept, given.kept), status = 'waiting', process = null,
        due_at = case when runs.events && string_to_array(given.waits, chr(10)) then clock_timestamp() else given.due end,
        waiting = given.waiting, waits = string_to_array(given.waits, chr(10))
      from given where ${isGiven(`given.status = 'waiting'`)}
    )
    select id, ${notify('own', `(select $16::text where ${HAS_OTHERS})`)} as notified from own`,
}

/** The statement that stores only steps, of which PostgreSQL plans a third of the time. */
export const WRITE_STEPS: RunSql = {
  name: 'sdk_run_write_steps',
  text: `with given as materialized (
      select * from unnest($2::text[], $3::int[], $4::int[]) as given (id, epoch, kept)
    ), own as materialized (${OWN}), stepped as (
      ${insertSteps('$5::text[], $6::text[], $7::text[], $8::int[], $9::text[]')}
    ), changed as (${changeKept('true')})
    select id, ${notify('own', `(select $10::text where ${HAS_OTHERS})`)} as notified from own`,
}

/**
 * The statement that stores only results. Only running runs have a process, so the update itself fences the write. The
 * values are found by the place of the id: a join would compare each run with each value.
 */
export const WRITE_ENDS: RunSql = {
  name: 'sdk_run_write_ends',
  text: `with ended as (
      update sdk_runs runs set process = null, ${ENDED}, (status, output, error) = (
        select ($4::text[])[place], ($5::text[])[place], ($6::text[])[place]
        from (select array_position($2::text[], runs.id::text) as place offset 0) as given)
      where runs.id = any($2::text[]) and runs.process = $1
        and runs.epoch = ($3::int[])[array_position($2::text[], runs.id::text)] returning runs.id
    )
    select id, ${notify('ended', `(select $7::text where ${HAS_OTHERS})`)} as notified from ended`,
}

/**
 * The statement that stores one finished step. PostgreSQL keeps its plan, since it has no arrays, whose length would
 * change the estimates. In the app's transaction, it keeps the run from being taken over until the transaction ends.
 */
export const WRITE_STEP: RunSql = {
  name: 'sdk_run_write_step',
  text: `with own as materialized (
      select id from sdk_runs where id = $2 and process = $1 and epoch = $3 and status = 'running' for key share
    ), stored as (
      insert into sdk_run_steps (run, name, value, chunks, trace) select id, $4, $5, $6::int, $7 from own
      on conflict do nothing returning run
    ), changed as (
      update sdk_runs runs set kept = greatest(runs.kept, $6), crashes = 0 from stored
      where runs.id = stored.run and (runs.kept < $6 or runs.crashes > 0)
    )
    select id, exists (select from stored) as "isStored",
      ${notify('own', `(select $8::text where ${HAS_OTHERS})`)} as notified from own`,
}

/** The statement that starts a new epoch of a run in the same process. If it is repeated, it has no further effect. */
export const RETRACT: RunSql = {
  name: 'sdk_run_retract',
  text: `with own as materialized (
      select id, epoch from sdk_runs where id = $2 and process = $1 and status = 'running' and (epoch = $3::int
        or (epoch = $3 + 1 and retractions -> -1 = jsonb_build_array($3 + 1, $4::int))) for update
    ), changed as (
      update sdk_runs runs set epoch = runs.epoch + 1, base = $4, kept = least(runs.kept, $4),
        retractions = runs.retractions || jsonb_build_array(jsonb_build_array(runs.epoch + 1, $4))
      from own where runs.id = own.id and own.epoch = $3 returning runs.id
    ), gone as (
      delete from sdk_run_pages page using changed where page.run = changed.id and page.first >= $4
    )
    select $3 + 1 as epoch, ${notify('changed', '$5')} as notified from own`,
}

/** The statement that returns runs to the queue. */
export const RELEASE: RunSql = {
  name: 'sdk_run_release',
  // Locks for update: a plain update would not wait for a write in progress, whose chunks would then be lost.
  text: `with own as materialized (
      select id from sdk_runs where process = $1 and id = any($2::text[]) and status = 'running' order by id for update
    ), released as (
      update sdk_runs runs set process = null, status = 'queued' from own where runs.id = own.id returning runs.id
    )
    select count(*), (select pg_notify($3, $1 || ' *') where $3::text is not null) as notified from released`,
}

/** The maximum number of runs that one statement cancels. A notification contains at most 8,000 bytes. */
export const MAX_CANCELLED = 100

const cancelSql = (name: string, condition: string): RunSql => ({
  name,
  text: `with unfinished as materialized (
      select id from sdk_runs where ${condition} and ended_at is null order by id limit ${MAX_CANCELLED} for update
    ), cancelled as (
      update sdk_runs runs set status = 'cancelled', process = null, ${ENDED}
      from unfinished where runs.id = unfinished.id returning runs.id
    )
    select id, ${notify('cancelled', '$3')} as notified from cancelled`,
})

/** The statement that cancels a run. */
export const CANCEL: RunSql = cancelSql('sdk_run_cancel', 'id = $2')

/** The statement that cancels the runs of a thread. */
export const CANCEL_THREAD: RunSql = cancelSql('sdk_run_cancel_thread', 'user_id = $2 and agent = $4 and thread = $5')

/** The statement that cancels runs of a user. */
export const CANCEL_USER: RunSql = cancelSql('sdk_run_cancel_user', 'user_id = $2')

/** The statement that renews the lease of a process and returns its runs. */
export const RENEW: RunSql = {
  name: 'sdk_run_renew',
  text: `with renewed as (
      insert into sdk_run_processes (process, until) values ($1, clock_timestamp() + make_interval(secs => $2))
      on conflict (process) do update set until = excluded.until
    )
    select id from sdk_runs where process = $1 and status = 'running'`,
}

/** The query for a run. */
export const GET: RunSql = { name: 'sdk_run_get', text: `select ${RUN} from sdk_runs runs where id = $1` }

/** The query for a run and its next pages. */
export const READ: RunSql = {
  name: 'sdk_run_read',
  text: `select ${RUN}, (
      select coalesce(json_agg(json_build_array(epoch, first, data) order by first, epoch), '[]') from (
        select *, sum(bytes) over (order by first, epoch) - bytes as before from (
          select epoch, first, bytes, data from sdk_run_pages
          where run = $1 and first > $2::int - ${MAX_PAGE_CHUNKS} and first + count > $2::int
          order by first, epoch limit 500
        ) as next
      ) as sized where before < ${READ_SIZE}
    ) as pages from sdk_runs runs where id = $1`,
}

/** The statement that deletes the ended runs of a user. Writes to ended runs are rejected, so nothing is left over. */
export const DELETE_USER = `with gone as (
    delete from sdk_runs where user_id = $1 and ended_at is not null returning id
  ), pages as (delete from sdk_run_pages where run in (select id from gone)
  ), events as (delete from sdk_run_events where run in (select id from gone))
  delete from sdk_run_steps where run in (select id from gone)`
