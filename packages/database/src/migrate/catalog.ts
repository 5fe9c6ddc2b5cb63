import { quoteIdent, type RunStatement } from '../table-layout.ts'

/** A column as it is. */
export interface CatalogColumn {
  /** As PostgreSQL writes it. */
  readonly type: string
  readonly isNullable: boolean
  /** Does it get a value where an insert says none? */
  readonly hasDefault: boolean
}

/** An index as it is. */
export interface CatalogIndex {
  readonly name: string
  readonly method: string
  /** Without expressions. */
  readonly columns: readonly string[]
}

/** A table as it is. */
export interface CatalogTable {
  readonly columns: ReadonlyMap<string, CatalogColumn>
  readonly indexes: readonly CatalogIndex[]
}

/** Reads what there is of a table; null: there is none. */
export async function readTable(run: RunStatement, name: string): Promise<CatalogTable | null> {
  const [found] = await run({ name: 'sdk_catalog', text: READ_TABLE, values: [quoteIdent(name)] })
  if (found === undefined) return null
  const { columns, indexes } = found as unknown as {
    columns: (CatalogColumn & { name: string })[]
    indexes: CatalogIndex[]
  }
  return { columns: new Map(columns.map(({ name: column, ...facts }) => [column, facts])), indexes }
}

/** All in one statement: what it tells is of one moment. */
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
    where indrelid = found.oid) as indexes
  from (select to_regclass($1)::oid as oid) found
  where found.oid is not null`
