import type { Database } from '@sdk/database'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { checkAdapter } from './check-adapter.ts'
import { checkTables, migrateTables } from './migrate-tables.ts'
import { nameTakenFields } from './taken-fields.ts'

/** A started Better Auth instance. */
export interface BetterAuth {
  handler(request: Request): Promise<Response>
  readonly api: ReturnType<typeof betterAuth>['api']
  readonly context: Awaited<ReturnType<typeof betterAuth>['$context']>
}

/** Waits for the database, migrates the tables and starts Better Auth on them. */
export async function startBetterAuth(
  config: BetterAuthOptions,
  { database, autoMigrate }: { database: Database | null; autoMigrate: boolean },
): Promise<BetterAuth> {
  await database?.ready()
  if (database) await (autoMigrate ? migrateTables : checkTables)(database, config)
  const whole = { ...config, database: await loadAdapter(config) } as BetterAuthOptions
  // Created after the migration because it reads the tables immediately.
  const { handler, api, $context } = betterAuth(whole)
  const betterAuthInstance = { handler, api, context: await $context }
  nameTakenFields(betterAuthInstance.context)
  if (!database) await checkAdapter(betterAuthInstance.context, config)
  return betterAuthInstance
}

/** Loads an adapter that may be asynchronous, because Better Auth does not await it. */
async function loadAdapter(config: BetterAuthOptions): Promise<unknown> {
  const database = config.database as unknown
  if (typeof database !== 'function') return database
  const adapter = await (database as (options: BetterAuthOptions) => unknown)(config)
  return () => adapter
}
