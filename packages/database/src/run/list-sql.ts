import { RUN, type RunSql } from './run-sql.ts'

/** The query for the runs of a user. */
export const LIST: RunSql = {
  name: 'sdk_run_list',
  text: `select ${RUN} from sdk_runs runs where user_id = $1 and agent = $2 and ($3::text is null or thread = $3)
    and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5))
    order by created_at desc, id desc limit $6`,
}

/** The query for the runs that wait for an event. */
export const LIST_WAITING: RunSql = {
  name: 'sdk_run_list_waiting',
  text: `select ${RUN} from sdk_runs runs where agent = $2 and status = 'waiting' and waits <> '{}'
    and exists (select from unnest(waits) as wait where split_part(wait, ' ', 1) = $1)
    and ($3::text is null or thread = $3) and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5))
    order by created_at desc, id desc limit $6`,
}
