import { RUN_LIMITS, type CreatedRun, type NewRun } from '@sdk/server'
import type { RunSql } from './run-sql.ts'
import { NEXT_TURN, USE_THREADS } from './thread-sql.ts'

/** Returns the SQL for the owner of a run's key. A key that begins with a line break belongs to the agent itself. */
export const keyOwner = (run: string): string =>
  `(case when left(${run}key, 1) = chr(10) then '' else coalesce(${run}user_id, '') end)`

/**
 * The statement that creates runs, except those whose key or thread already has one, and returns a row for each.
 * Parameters that are null are checked first, so that runs without a key, thread or caller need no lookup.
 */
export const CREATE: RunSql = {
  name: 'sdk_run_create',
  text: `with given as materialized (
      select *, row_number() over (partition by caller order by place) as number from unnest($1::text[], $2::text[],
        $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::boolean[],
        $12::float8[], $13::text[], $14::timestamptz[], $15::boolean[]) with ordinality as given (id, agent, user_id,
        caller, key, print, thread, input, address, trace, is_stream, keep_for, process, due_at, in_turn, place)
    ), load as materialized (
      select caller, (select count(*) from (
        select from sdk_runs runs where runs.caller = callers.caller and ended_at is null
        limit ${RUN_LIMITS.unfinished}) as unfinished) as size
      from (select distinct caller from given where caller is not null) as callers
    ), found as materialized (
      select given.*, known.id as known, known.print as "knownPrint", busy.id as busy,
        coalesce(load.size, 0) + number > ${RUN_LIMITS.unfinished} and given.caller is not null as "isFull"
      from given left join load on load.caller = given.caller left join lateral (
        select id, print from sdk_runs runs where given.key is not null and runs.agent = given.agent
          and runs.key = given.key and ${keyOwner('runs.')} = ${keyOwner('given.')} limit 1
      ) as known on true left join lateral (
        select id from sdk_runs runs where given.thread is not null and given.in_turn is not true
          and runs.agent = given.agent and runs.user_id = given.user_id and runs.thread = given.thread
          and ended_at is null order by turn limit 1
      ) as busy on true
    ), free as materialized (
      select * from found where known is null and busy is null and not "isFull"
    ), used as (${USE_THREADS}), made as (
      insert into sdk_runs (id, agent, user_id, caller, key, print, thread, input, address, trace, is_stream, keep_for,
        process, due_at, status, epoch, turn)
      select id, agent, user_id, caller, key, print, thread, input, address, trace, is_stream, keep_for, process, due_at,
        case when process is null then 'queued' else 'running' end, case when process is null then 0 else 1 end,
        ${NEXT_TURN}
      from free left join used using (agent, user_id, thread) order by place
      on conflict do nothing returning id, status = 'queued' and (due_at is null or due_at <= now()) as "isReady"
    )
    select made.id as made, known, "knownPrint", busy, "isFull", coalesce("isReady", false) as "isReady",
      (select pg_notify($16, ' *') where $16::text is not null and exists (select from made where "isReady")) as notified
    from found left join made using (id) order by place`,
}

/** The statement that creates runs without a key, thread or caller, such as jobs of the app. It checks nothing. */
export const CREATE_PLAIN: RunSql = {
  name: 'sdk_run_create_plain',
  text: `with made as (
      insert into sdk_runs (id, agent, user_id, input, address, trace, is_stream, keep_for, process, due_at, print, status,
        epoch)
      select given.*, '', case when process is null then 'queued' else 'running' end, (process is not null)::int
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::float8[],
        $9::text[], $10::timestamptz[]) as given (id, agent, user_id, input, address, trace, is_stream, keep_for, process,
        due_at)
      returning status = 'queued' and (due_at is null or due_at <= now()) as "isReady"
    )
    select "isReady", (select pg_notify($11, ' *') where "isReady" and $11::text is not null) as notified
    from (select bool_or("isReady") as "isReady" from made) as each_made`,
}

const UNFINISHED = `select count(*) from (
  select from sdk_runs where caller = $4 and ended_at is null limit ${RUN_LIMITS.unfinished}) as unfinished`

const createOne = (name: string, epoch: string): RunSql => ({
  name,
  text: `insert into sdk_runs (id, agent, user_id, caller, print, input, address, trace, is_stream, keep_for, due_at, status,
      epoch) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'queued', ${epoch})`,
})

/** The statement that queues one run without a caller, key or thread. */
const CREATE_ONE: RunSql = createOne('sdk_run_create_one', '0')

/**
 * The statement that queues one run of a caller without a key or thread. It is sent together with a commit, so it fails
 * if the caller has too many unfinished runs: `epoch` cannot be null. PostgreSQL would plan it each time for runs without
 * a caller.
 */
const CREATE_COUNTED: RunSql = createOne(
  'sdk_run_create_counted',
  `case when (${UNFINISHED}) < ${RUN_LIMITS.unfinished} then 0 end`,
)

/** Returns the statement that queues one run without a key or thread, and its parameters. */
export function toCreateOne(run: NewRun): [statement: RunSql, values: unknown[]] {
  const { id, agent, userId, caller, print, input, address, trace, isStream, keepFor, dueAt = null } = run
  const values = [id, agent, userId, caller, print, input, address, trace, isStream, keepFor, dueAt]
  return [caller === null ? CREATE_ONE : CREATE_COUNTED, values]
}

/** A row of the result of `CREATE`. */
export interface CreateRow {
  readonly made: string | null
  readonly known: string | null
  readonly knownPrint: string | null
  readonly busy: string | null
  readonly isFull: boolean
  /** Whether the run was queued and can be claimed immediately. */
  readonly isReady: boolean
}

const COLUMNS = ['id', 'agent', 'userId', 'caller', 'key', 'print', 'thread', 'input', 'address', 'trace'] as const
const SETTINGS = ['isStream', 'keepFor', 'process', 'dueAt', 'isInTurn'] as const
const CHECKED: ReadonlySet<string> = new Set(['caller', 'key', 'print', 'thread', 'isInTurn'])
const ALL_COLUMNS = [...COLUMNS, ...SETTINGS]
const PLAIN_COLUMNS = ALL_COLUMNS.filter((name) => !CHECKED.has(name))

/** Converts runs to the parameters of `CREATE`, or of `CREATE_PLAIN`: an array for each column. */
export function toRunColumns(runs: readonly NewRun[], isPlain = false): unknown[][] {
  return (isPlain ? PLAIN_COLUMNS : ALL_COLUMNS).map((name) => runs.map((run) => run[name] ?? null))
}

/** Returns the outcome for a run, or null if a run with the same key or thread was created at the same time. */
export function toCreated({ made, known, knownPrint, busy, isFull }: CreateRow, run: NewRun): CreatedRun | null {
  if (made !== null) return { outcome: 'created', id: made }
  if (known !== null) return { outcome: knownPrint === run.print ? 'joined' : 'reused', id: known }
  if (busy !== null) return { outcome: 'busy', id: busy }
  return isFull ? { outcome: 'full', id: run.id } : null
}
