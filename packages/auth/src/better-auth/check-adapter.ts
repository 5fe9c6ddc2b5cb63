import { isConnectionError } from '@sdk/database'
import type { AuthContext, BetterAuthOptions } from 'better-auth'
import { getAuthTables } from 'better-auth/db'

/** Throws if an adapter's tables are missing. The project's own migrations must create them. */
export async function checkAdapter(context: AuthContext, config: BetterAuthOptions): Promise<void> {
  const inSchema = await findInSchema(context)
  // The database check can only query tables that are in the schema.
  const problems = inSchema.length > 0 ? inSchema : await findInDatabase(context, config)
  if (problems.length === 0) return
  throw new Error(
    [
      "createAuth cannot use the adapter's tables as they are, and does not change them:",
      ...problems.map((problem) => `- ${problem}`),
      "Fix: add the tables from '@sdk/auth/schema', and those of your plugins, to the schema passed to drizzleAdapter, " +
        'and create them with your own migrations: `npx drizzle-kit generate` and `npx drizzle-kit migrate`, or `npx drizzle-kit push`',
    ].join('\n'),
  )
}

async function findInSchema(context: AuthContext): Promise<string[]> {
  try {
    await context.explicitSchemaCheck?.()
    return []
  } catch (error) {
    if (!hasFindings(error)) throw error
    return error.findings.map(({ kind, table, column }) => {
      if (kind === 'missing-table') return `the schema has no table ${table}`
      if (kind === 'missing-column') return `the table ${table} in the schema has no column ${column}`
      return `the column ${column} of the table ${table} is required, but is not an auth field: every insert would fail`
    })
  }
}

function hasFindings(error: unknown): error is { findings: { kind: string; table: string; column?: string }[] } {
  return error instanceof Error && 'findings' in error && Array.isArray(error.findings)
}

/** Queries one row from each table, because tables that are in the schema may be missing from the database. */
async function findInDatabase({ adapter }: AuthContext, config: BetterAuthOptions): Promise<string[]> {
  const problems: string[] = []
  for (const [model, { disableMigrations }] of Object.entries(getAuthTables(config))) {
    if (disableMigrations === true) continue
    try {
      await adapter.findMany({ model, limit: 1 })
    } catch (error) {
      const message = isConnectionError(error) ? null : findMessage(error)
      if (message === null) throw error
      problems.push(`in the database, ${message}`)
    }
  }
  return problems
}

/** Returns PostgreSQL's message about a missing table or column, unwrapped from the adapter's error, or null. */
function findMessage(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const isMissing = 'code' in error && (error.code === '42P01' || error.code === '42703')
  return isMissing ? error.message : findMessage(error.cause)
}
