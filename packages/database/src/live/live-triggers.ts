import { quoteIdent } from '../table-layout.ts'

/** The channel of the notifications about changed rows. */
export const LIVE_CHANNEL = 'sdk_live'

/** The maximum number of ids in a notification. If more rows have changed, it contains `*` instead. */
const MAX_IDS = 200

/** The tables with the rows before and after a statement, by operation. */
const ROW_TABLES = {
  insert: 'referencing new table as sdk_new ',
  update: 'referencing old table as sdk_old new table as sdk_new ',
  delete: 'referencing old table as sdk_old ',
  truncate: '',
}

/** A table whose changes are announced. */
export interface LiveTable {
  /** The quoted name, including the schema if the table has one. */
  readonly table: string
  /** The unquoted name of the table's schema. @default the first schema in the search path */
  readonly schema?: string | undefined
  /** The unquoted name of the column with the ids. @default 'id' */
  readonly id?: string
}

/** The names of the triggers of a live table. */
export const LIVE_TRIGGERS: readonly string[] = Object.keys(ROW_TABLES).map((operation) => `sdk_live_${operation}`)

/**
 * Returns the statements that create the triggers of a live table. For each statement that changes rows, they send a
 * notification such as `tasks 7,9` at the commit. Tables share the function, which is compiled for each trigger.
 */
export function createLiveTriggers({ table, schema, id = 'id' }: LiveTable): string[] {
  const name = quoteIdent(id === 'id' ? LIVE_CHANNEL : `${LIVE_CHANNEL}.${id}`.slice(0, 63))
  const run = schema === undefined ? `${name}()` : `${quoteIdent(schema)}.${name}()`
  const key = quoteIdent(id)
  const notify = (ids: string): string => `perform pg_notify('${LIVE_CHANNEL}', tg_table_name || ' ' || ${ids})`
  // A single statement, since each one that a function runs takes several microseconds.
  const notifyIds = (rows: string): string =>
    `${notify(`case when count(*) > ${MAX_IDS} then '*' else string_agg(${key}::text, ',') end`)}
      from (${rows} limit ${MAX_IDS + 1}) changed having count(*) > 0`
  const [added, removed] = [`select ${key} from sdk_new`, `select ${key} from sdk_old`]
  return [
    `create or replace function ${run} returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then ${notifyIds(added)};
  elsif tg_op = 'UPDATE' then ${notifyIds(`${added} union ${removed}`)};
  elsif tg_op = 'DELETE' then ${notifyIds(removed)};
  else ${notify(`'*'`)};
  end if;
  return null;
end $$`,
    ...Object.entries(ROW_TABLES).map(
      ([operation, rows]) =>
        `create or replace trigger sdk_live_${operation} after ${operation} on ${table} ${rows}for each statement execute function ${run}`,
    ),
  ]
}

/** Returns the statement that drops the triggers of a table. */
export function dropLiveTriggers(table: string): string {
  return LIVE_TRIGGERS.map((name) => `drop trigger if exists ${name} on ${table}`).join(';\n')
}

/** The rows that a notification names, or null for all rows of the table. */
export interface ChangedRows {
  /** The unquoted name of the table. */
  readonly table: string
  readonly ids: readonly number[] | null
}

/** Parses a notification. Any role can send one, so all rows count as changed if the ids are not numbers. */
export function parseNotification(payload: string): ChangedRows {
  const end = payload.lastIndexOf(' ')
  const ids = payload
    .slice(end + 1)
    .split(',')
    .map(Number)
  return { table: payload.slice(0, Math.max(0, end)), ids: ids.every(Number.isSafeInteger) ? ids : null }
}
