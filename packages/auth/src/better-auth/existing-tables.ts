import type { Queryable } from '@sdk/database'

/** A column in the database. */
export interface ExistingColumn {
  /** PostgreSQL's short type name, such as `text`, `int4` or `timestamptz`; `enum` for enum types. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether the column gets a value if an insert omits it. */
  readonly hasDefault: boolean
}

/** A table or view in the database. */
export interface ExistingTable {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly columns: Readonly<Record<string, ExistingColumn>>
  /** The valid indexes, except partial and expression indexes. */
  readonly indexes: readonly { readonly isUnique: boolean; readonly columns: readonly string[] }[]
}

/** Reads the tables and views with these names from the schema where new tables are created. */
export async function readTables(database: Queryable, names: readonly string[]): Promise<Map<string, ExistingTable>> {
  const found = await database.query<ExistingTable>(READ_TABLES, [names])
  return new Map(found.map((table) => [table.name, table]))
}

const READ_TABLES = `select
  relname as name,
  case when relkind in ('r', 'p') then 'table' else 'view' end as kind,
  (select coalesce(jsonb_object_agg(attname, jsonb_build_object(
      'type', case when typtype = 'e' then 'enum' else typname end,
      'isNullable', not attnotnull,
      'hasDefault', atthasdef or attidentity <> '')), '{}')
    from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = found.oid and attnum > 0 and not attisdropped) as columns,
  (select coalesce(jsonb_agg(jsonb_build_object(
      'isUnique', indisunique,
      'columns', (select coalesce(jsonb_agg(attname order by place), '[]')
        from unnest(indkey[0:indnkeyatts - 1]) with ordinality as key(attribute, place)
        join pg_attribute on attrelid = found.oid and attnum = attribute))), '[]')
    from pg_index where indrelid = found.oid and indisvalid and indpred is null and indexprs is null) as indexes
  from pg_class found
  where relnamespace = (select oid from pg_namespace where nspname = current_schema())
    and relname = any($1) and relkind in ('r', 'p', 'v', 'm', 'f')`
