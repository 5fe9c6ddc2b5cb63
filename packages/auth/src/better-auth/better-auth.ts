import type { Database } from '@sdk/database'
import { betterAuth, type BetterAuthOptions } from 'better-auth'
import { checkAdapter } from './check-adapter.ts'
import { deleteUsersInTransaction } from './delete-users.ts'
import { checkTables, migrateTables } from './migrate-tables.ts'
import { nameTakenFields } from './taken-fields.ts'

/** A started Better Auth instance. */
export interface BetterAuth {
  handler(request: Request): Promise<Response>
  readonly api: ReturnType<typeof betterAuth>['api']
  readonly context: Awaited<ReturnType<typeof betterAuth>['$context']>
}

interface StartOptions {
  readonly database: Database | null
  readonly autoMigrate: boolean
  /** Adds options that must be loaded first. @default returns the options unchanged */
  readonly configure?: (config: BetterAuthOptions) => Promise<BetterAuthOptions>
}

/** Waits for the database, migrates or checks the tables, and starts Better Auth. */
export async function startBetterAuth(
  base: BetterAuthOptions,
  { database, autoMigrate, configure = async (config) => config }: StartOptions,
): Promise<BetterAuth> {
  const [config] = await Promise.all([configure(base), database?.ready()])
  if (database) await (autoMigrate ? migrateTables : checkTables)(database, config)
  const whole = { ...config, database: await loadAdapter(config) } as BetterAuthOptions
  // Better Auth is created after the migration because it reads the tables immediately.
  const { handler, api, $context } = betterAuth(whole)
  const betterAuthInstance = { handler, api, context: await $context }
  nameTakenFields(betterAuthInstance.context)
  deleteUsersInTransaction(betterAuthInstance.context)
  if (!database) await checkAdapter(betterAuthInstance.context, config)
  return betterAuthInstance
}

/** Loads the adapter in advance, since loading may be asynchronous and Better Auth does not await it. */
async function loadAdapter(config: BetterAuthOptions): Promise<unknown> {
  const database = config.database as unknown
  if (typeof database !== 'function') return database
  const adapter = await (database as (options: BetterAuthOptions) => unknown)(config)
  return () => adapter
}
