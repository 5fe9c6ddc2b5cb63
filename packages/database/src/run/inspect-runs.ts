import {
  INSPECT_LIMITS,
  type InspectedEvent,
  type InspectQuery,
  type RunInspector,
  type RunStore,
  type StoredJson,
  type StoredTrace,
} from '@sdk/server'
import { fromColumnText } from '../engine/column-text.ts'
import { toTime, type RunSql } from './run-sql.ts'

/** The columns of a truncated JSON text and its size. */
const json = (column: string, limit: number): string =>
  `case when ${column} is not null then json_build_object('text', left(${column}, ${limit}), 'size', length(${column}))
    end as ${column}`

const DETAILS = `process, (select count(*)::int from sdk_run_steps step
    where step.run = runs.id and name not like '%#end') as "stepCount",
  case when status = 'waiting' then ${toTime('due_at')} end as "dueAt"`

/** The query for the newest runs of all users. */
const LIST_ALL: RunSql = {
  name: 'sdk_run_inspect_list',
  text: `select id, agent, user_id as "userId", thread, is_stream as "isStream", status, epoch, is_gone as "isGone",
      case when status = 'waiting' then waiting end as waiting, ${toTime('created_at')} as "createdAt",
      ${toTime('ended_at')} as "endedAt", ${DETAILS}
    from sdk_runs runs where ($1::text is null or agent = $1) and ($2::text is null or status = $2)
      and ($3::text is null or thread = $3)
      and ($4::text is null or (created_at, id) < (select created_at, id from sdk_runs where id = $4))
    order by created_at desc, id desc limit $5`,
}

const FIND: RunSql = {
  name: 'sdk_run_inspect',
  text: `select ${DETAILS}, ${json('input', INSPECT_LIMITS.body)} from sdk_runs runs where id = $1`,
}

const STEPS: RunSql = {
  name: 'sdk_run_inspect_steps',
  text: `select name, chunks, trace, ${toTime('at')} as at, ${json('value', INSPECT_LIMITS.value)}
    from sdk_run_steps where run = $1 order by sdk_run_steps.at desc, name limit ${INSPECT_LIMITS.rows}`,
}

const EVENTS: RunSql = {
  name: 'sdk_run_inspect_events',
  text: `select key, ${toTime('at')} as at, ${json('value', INSPECT_LIMITS.value)}
    from sdk_run_events where run = $1 order by sdk_run_events.at limit ${INSPECT_LIMITS.rows}`,
}

interface StepRow {
  readonly name: string
  readonly chunks: number
  readonly trace: string | null
  readonly at: string
  readonly value: StoredJson | null
}

/** Runs a statement and returns its rows. */
type Query = <T>(statement: RunSql, values: readonly unknown[]) => Promise<T[]>

/** Creates the inspector of a store in a database. */
export function databaseInspector(query: Query, store: Pick<RunStore, 'get'>): RunInspector {
  return {
    list: ({ agent, status, thread, before, limit }: InspectQuery) =>
      query(LIST_ALL, [agent, status, thread, before, limit]),
    async find(id) {
      const run = await store.get(id)
      const [details] = await query<DetailsRow>(FIND, [id])
      if (run === null || details === undefined) return null
      const { input, ...more } = details
      const steps = await query<StepRow>(STEPS, [id])
      const events = await query<InspectedEvent>(EVENTS, [id])
      return {
        run: { ...run, ...more },
        input: withUnits(input),
        steps: steps.map(({ name, trace, value, ...step }) => ({
          ...step,
          value: withUnits(value),
          name: fromColumnText(name),
          trace: trace === null ? null : (JSON.parse(trace) as StoredTrace),
        })),
        events: events.map((event) => ({ ...event, value: withUnits(event.value) })),
      }
    },
  }
}

/** Converts a size from the code points that PostgreSQL counts to the UTF-16 code units of JavaScript. */
function withUnits(found: StoredJson | null): StoredJson | null {
  if (found === null) return null
  const { text, size } = found
  return { text, size: size + text.length - Array.from(text).length }
}

interface DetailsRow {
  readonly process: string | null
  readonly dueAt: string | null
  readonly stepCount: number
  readonly input: StoredJson | null
}
