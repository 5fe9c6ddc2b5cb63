import type { AuthAdapter } from './auth-options.ts'

/** A PostgreSQL database, as returned by Drizzle's `drizzle(…)`. */
export interface AuthDrizzle {
  select(...args: never): unknown
  transaction(...args: never): unknown
}

/** Options for `drizzleAdapter`. */
export interface DrizzleAdapterOptions {
  /** The kind of database; only PostgreSQL is supported. */
  provider: 'pg'
  /**
   * The tables for auth and its plugins.
   * @default the schema passed to `drizzle(…)`, or the tables in `@sdk/auth/schema`
   */
  schema?: Readonly<Record<string, unknown>> | undefined
  /** Whether the schema exports the tables with plural names, such as `users` and `sessions`. @default false */
  usePlural?: boolean | undefined
  /** Whether to use transactions, which HTTP drivers do not support. @default true */
  transaction?: boolean | undefined
}

/**
 * Creates an adapter that stores users in the tables of your Drizzle schema, which your own migrations create.
 * @example createAuth({ database: drizzleAdapter(drizzle(url, { schema }), { provider: 'pg' }) })
 */
export function drizzleAdapter(db: AuthDrizzle, options: DrizzleAdapterOptions): AuthAdapter {
  if (typeof (db as Partial<AuthDrizzle> | undefined)?.select !== 'function')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }): db must be the result of drizzle(…)")
  if ((options as Partial<DrizzleAdapterOptions> | undefined)?.provider !== 'pg')
    throw new TypeError("drizzleAdapter(db, { provider: 'pg' }): provider must be 'pg', for PostgreSQL")
  // Better Auth's adapter is loaded lazily because it imports Drizzle, which most projects do not install.
  return async (config: never) => {
    const library = await import('better-auth/adapters/drizzle')
    const schema = options.schema ?? (hasTables(db) ? undefined : { ...(await import('./schema.ts')) })
    return library.drizzleAdapter(db, { transaction: true, ...options, schema: schema as never })(config)
  }
}

/** Returns whether a schema was passed to `drizzle(…)`. If it was, Better Auth uses it. */
function hasTables(db: object): boolean {
  const { fullSchema } = ('_' in db ? db._ : {}) as { fullSchema?: object }
  return Object.keys(fullSchema ?? {}).length > 0
}
