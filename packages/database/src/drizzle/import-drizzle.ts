import type { Statement } from '../table-layout.ts'

/** The members of a Drizzle column that this package uses. */
export interface DrizzleColumn {
  readonly name: string
  readonly notNull: boolean
  readonly precision?: unknown
  /** The enum type, if the column has one. */
  readonly enum?: { readonly enumName: string; readonly schema?: string | undefined }
  getSQLType(): string
}

/** The Drizzle functions that this package uses. */
export interface DrizzleModule {
  /** Converts a statement to a Drizzle query. */
  toQuery(statement: Statement): unknown
  columnsOf(table: unknown): Readonly<Record<string, DrizzleColumn>>
  nameOf(table: unknown): { readonly name: string; readonly schema: string | undefined }
}

/** Loads Drizzle, which is needed only for Drizzle tables. */
export async function importDrizzle(): Promise<DrizzleModule> {
  const [{ getTableColumns, is, sql }, { getTableConfig, PgTable }] = await Promise.all([
    import('drizzle-orm'),
    import('drizzle-orm/pg-core'),
  ]).catch((cause: unknown) => {
    throw new Error('drizzleTable() needs drizzle-orm: npm install drizzle-orm', { cause })
  })
  const assertTable = (table: unknown): InstanceType<typeof PgTable> => {
    if (!is(table, PgTable)) throw new TypeError('drizzleTable(db, table): table must be the result of pgTable(…)')
    return table
  }
  return {
    toQuery: ({ text, values }) =>
      sql.join(
        splitParameters(text).map((part, index) =>
          index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1]),
        ),
      ),
    columnsOf: (table) => getTableColumns(assertTable(table)),
    nameOf: (table) => getTableConfig(assertTable(table)),
  }
}

/** Splits SQL at its `$n` parameters, whose numbers are at the odd indexes. A `$n` inside quotes is not a parameter. */
function splitParameters(text: string): string[] {
  const parts = ['']
  for (const [token, number] of text.matchAll(/"[^"]*"|'[^']*'|\$(\d+)|[^"'$]+|./gs)) {
    if (number === undefined) parts.push(`${parts.pop()}${token}`)
    else parts.push(number, '')
  }
  return parts
}
