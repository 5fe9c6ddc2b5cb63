import { quoteIdent, type RunStatement } from '../table-layout.ts'

/** An existing column. */
export interface CatalogColumn {
  /** The type in PostgreSQL's notation. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether PostgreSQL sets a value if an insert omits the column. */
  readonly hasDefault: boolean
}

/** An existing index. */
export interface CatalogIndex {
  readonly name: string
  readonly method: string
  /** The names of the indexed columns. Expressions are omitted. */
  readonly columns: readonly string[]
}

/** An existing table. */
export interface CatalogTable {
  readonly columns: ReadonlyMap<string, CatalogColumn>
  readonly indexes: readonly CatalogIndex[]
  /** The names of the triggers. */
  readonly triggers: readonly string[]
  /** The names of the validated foreign keys. */
  readonly foreignKeys: readonly string[]
  /** The names of the foreign keys whose existing rows have not been checked, because a migration was interrupted. */
  readonly uncheckedKeys: readonly string[]
}

/** Reads a table from the catalog. Returns null if the table does not exist. */
export async function readTable(run: RunStatement, name: string): Promise<CatalogTable | null> {
  const [found] = await run({ name: 'sdk_catalog', text: READ_TABLE, values: [quoteIdent(name)] })
  if (found === undefined) return null
  const { columns, ...rest } = found as unknown as Omit<CatalogTable, 'columns'> & {
    columns: (CatalogColumn & { name: string })[]
  }
  return { columns: new Map(columns.map(({ name: column, ...facts }) => [column, facts])), ...rest }
}

/** The query for a table. It is a single statement, so that the result is consistent. */
const READ_TABLE = `select
  (select coalesce(jsonb_agg(jsonb_build_object(
      'name', attname,
      'type', format_type(atttypid, atttypmod),
      'isNullable', not attnotnull,
      'hasDefault', atthasdef or attidentity <> '')), '[]')
    from pg_attribute where attrelid = found.oid and attnum > 0 and not attisdropped) as columns,
  (select coalesce(jsonb_agg(jsonb_build_object(
      'name', relation.relname,
      'method', method.amname,
      'columns', (select coalesce(jsonb_agg(attname), '[]') from pg_attribute
        where attrelid = found.oid and attnum = any(indkey)))), '[]')
    from pg_index
    join pg_class relation on relation.oid = indexrelid
    join pg_am method on method.oid = relation.relam
    where indrelid = found.oid) as indexes,
  (select coalesce(jsonb_agg(tgname), '[]') from pg_trigger
    where tgrelid = found.oid and not tgisinternal) as triggers,
  (select coalesce(jsonb_agg(conname), '[]') from pg_constraint
    where conrelid = found.oid and contype = 'f' and convalidated) as "foreignKeys",
  (select coalesce(jsonb_agg(conname), '[]') from pg_constraint
    where conrelid = found.oid and contype = 'f' and not convalidated) as "uncheckedKeys"
  from (select to_regclass($1)::oid as oid) found
  where found.oid is not null`
