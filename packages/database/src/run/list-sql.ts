import { RUN_LIMITS } from '@sdk/server'
import { RUN, type RunSql } from './run-sql.ts'

/**
 * Returns the query for a page of runs, newest first. The page ends early if the data of its runs is large, whose length
 * PostgreSQL knows without reading it.
 */
const toListSql = (conditions: string): string => `select ${RUN} from (
    select *, sum(bytes) over (order by created_at desc, id desc) - bytes as "bytesBefore" from (
      select *, coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0) + coalesce(octet_length(
        case status when 'queued' then input when 'waiting' then waiting end), 0) as bytes
      from sdk_runs where ${conditions} and ($3::text is null or thread = $3)
        and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5))
      order by created_at desc, id desc limit $6
    ) found
  ) runs where "bytesBefore" < ${RUN_LIMITS.list} order by created_at desc, id desc`

/** The query for the runs of a user. */
export const LIST: RunSql = { name: 'sdk_run_list', text: toListSql('user_id = $1 and agent = $2') }

/** The query for the runs that wait for an event. */
export const LIST_WAITING: RunSql = {
  name: 'sdk_run_list_waiting',
  text: toListSql(`agent = $2 and status = 'waiting' and waits <> '{}'
    and exists (select from unnest(waits) as wait where split_part(wait, ' ', 1) = $1)`),
}
