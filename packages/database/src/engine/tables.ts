import type { EngineQuery } from './engine-connection.ts'

const TABLES = [
  'streams',
  'messages',
  'members',
  'processes',
  'sequences',
  'limits',
  'values',
  'owned',
  'owners',
] as const

/** The names of an engine's tables. */
export type TableNames = Readonly<Record<(typeof TABLES)[number], string>>

/** Returns the quoted table names for engines with this prefix. */
export function toTableNames(prefix: string): TableNames {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(prefix))
    throw new TypeError(
      `prefix must have 1 to 40 characters (a-z, 0-9, "_") and not start with a digit, got ${JSON.stringify(prefix)}`,
    )
  return Object.fromEntries(TABLES.map((name) => [name, `"${prefix}_engine_${name}"`])) as TableNames
}

/** Creates missing tables. Processes that start concurrently wait for each other. */
export async function createTables(query: EngineQuery, names: TableNames): Promise<void> {
  const found = await query<{ found: string | null }>('select to_regclass($1) as found', [names.owners])
  // If the last table exists, all of them do, and the role does not need the privilege to create tables.
  if (found[0]?.found !== null) return
  const lock = `select pg_advisory_xact_lock(hashtextextended('${names.streams}', 0))`
  // Without values, a query may contain several statements, which run in one transaction.
  await query([lock, ...createStatements(names)].join(';\n'))
}

/**
 * Returns the statements that create the tables. Streams and values are as durable as the database. The state of
 * running processes is stored in unlogged tables, which have no write-ahead log and are empty after a crash. Stream
 * messages are stored in a circular buffer of slots. Each slot is overwritten in place, so no cleanup is needed.
 */
function createStatements(names: TableNames): string[] {
  const bytewise = 'text collate "C"'
  return [
    `create table if not exists ${names.streams} (
      stream ${bytewise} primary key, epoch bigint not null, last bigint not null, ring int not null,
      at timestamptz not null
    ) with (fillfactor = 50)`,
    `create table if not exists ${names.messages} (
      stream ${bytewise} not null, slot int not null, number bigint not null, data text not null,
      primary key (stream, slot)
    ) with (fillfactor = 50)`,
    `create unlogged table if not exists ${names.processes} (
      process text primary key, until timestamptz not null
    ) with (fillfactor = 50)`,
    `create unlogged table if not exists ${names.members} (
      room ${bytewise} not null, process text not null, id ${bytewise} not null, data text not null,
      at timestamptz not null, primary key (room, process, id)
    )`,
    `create unlogged table if not exists ${names.sequences} (
      session ${bytewise} primary key, handled bigint not null, at timestamptz not null
    ) with (fillfactor = 50)`,
    `create unlogged table if not exists ${names.limits} (
      policy ${bytewise} not null, key ${bytewise} not null, full_at double precision not null,
      granted double precision not null, step double precision not null, room double precision not null,
      primary key (policy, key)
    ) with (fillfactor = 50)`,
    `create table if not exists ${names.values} (
      key ${bytewise} primary key, value text not null, ends timestamptz
    )`,
    // The values of each owner. `since` is the total size of the earlier values; `total` is the total size of all
    // values.
    `create table if not exists ${names.owned} (
      owner ${bytewise} not null, since bigint not null, key ${bytewise} not null, ends timestamptz,
      primary key (owner, since)
    )`,
    `create table if not exists ${names.owners} (
      owner ${bytewise} primary key, total bigint not null, ends timestamptz
    ) with (fillfactor = 50)`,
  ]
}
