import type { AuthAdapter } from './auth-options.ts'

/** The database that Drizzle's `drizzle(…)` returns, for PostgreSQL. */
export interface AuthDrizzle {
  select(...args: never): unknown
  transaction(...args: never): unknown
}

/** Options for `drizzleAdapter`. */
export interface DrizzleAdapterOptions {
  /** The kind of database; only PostgreSQL is supported. */
  provider: 'pg'
  /**
   * The tables of auth and of its plugins.
   * @default the schema passed to `drizzle(…)`, or the tables of `@sdk/auth/schema`
   */
  schema?: Readonly<Record<string, unknown>> | undefined
  /** Whether the tables are exported as `users`, `sessions` and so on. @default false */
  usePlural?: boolean | undefined
  /** Use transactions? HTTP drivers do not support them. @default true */
  transaction?: boolean | undefined
}

/**
 * Stores users in the tables of your own Drizzle schema, which your own migrations create.
 * @example createAuth({ database: drizzleAdapter(drizzle(url, { schema }), { provider: 'pg' }) })
 */
export function drizzleAdapter(db: AuthDrizzle, options: DrizzleAdapterOptions): AuthAdapter {
  if (typeof (db as Partial<AuthDrizzle> | undefined)?.select !== 'function')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }): db must be the result of drizzle(…)")
  if ((options as Partial<DrizzleAdapterOptions> | undefined)?.provider !== 'pg')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }): provider must be 'pg', for PostgreSQL")
  // Loaded lazily: it imports Drizzle, which most projects do not install.
  return async (config: never) => {
    const library = await import('better-auth/adapters/drizzle')
    const schema = options.schema ?? (hasTables(db) ? undefined : { ...(await import('./schema.ts')) })
    return library.drizzleAdapter(db, { transaction: true, ...options, schema: schema as never })(config)
  }
}

/** Was a schema passed to `drizzle(…)`? Then Better Auth uses it. */
function hasTables(db: object): boolean {
  const { fullSchema } = ('_' in db ? db._ : {}) as { fullSchema?: object }
  return Object.keys(fullSchema ?? {}).length > 0
}
