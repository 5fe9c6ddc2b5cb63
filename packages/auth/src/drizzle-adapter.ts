import type { AuthAdapter } from './auth-options.ts'

/** What `drizzle(…)` of Drizzle returns, for PostgreSQL. */
export interface AuthDrizzle {
  select(...args: never): unknown
  transaction(...args: never): unknown
}

/** Where the tables are. */
export interface DrizzleAdapterOptions {
  /** The kind of database: PostgreSQL alone. */
  provider: 'pg'
  /** The tables of auth, and of its plugins. @default those that `drizzle(…)` was given, else those of `@sdk/auth/schema` */
  schema?: Readonly<Record<string, unknown>> | undefined
  /** Are the tables exported as `users`, `sessions`, …? @default false */
  usePlural?: boolean | undefined
  /** Do several changes that belong together as one? Drivers over HTTP cannot. @default true */
  transaction?: boolean | undefined
}

/**
 * Keeps users in tables of your own Drizzle schema, which your own migrations make.
 * @example createAuth({ database: drizzleAdapter(drizzle(url, { schema }), { provider: 'pg' }) })
 */
export function drizzleAdapter(db: AuthDrizzle, options: DrizzleAdapterOptions): AuthAdapter {
  if (typeof (db as Partial<AuthDrizzle> | undefined)?.select !== 'function')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }) takes what drizzle(…) made")
  if ((options as Partial<DrizzleAdapterOptions> | undefined)?.provider !== 'pg')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }) works on PostgreSQL: say provider: 'pg'")
  // Loaded when it is needed: it brings Drizzle along, which most users do not have.
  return async (config: never) => {
    const library = await import('better-auth/adapters/drizzle')
    const schema = options.schema ?? (hasTables(db) ? undefined : { ...(await import('./schema.ts')) })
    return library.drizzleAdapter(db, { transaction: true, ...options, schema: schema as never })(config)
  }
}

/** Was `drizzle(…)` given a schema? Then the library looks there. */
function hasTables(db: object): boolean {
  const { fullSchema } = ('_' in db ? db._ : {}) as { fullSchema?: object }
  return Object.keys(fullSchema ?? {}).length > 0
}
