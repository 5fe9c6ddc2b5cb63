import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { type AuthDrizzle, type AuthOptions, createAuth, drizzleAdapter } from '@sdk/auth'
import * as schema from '@sdk/auth/schema'
import { type Database, openDatabase } from '@sdk/database'
import { createDatabase, openShared } from '@sdk/test-kit'
import { choose } from '../../chaos/mode.ts'
import { SECRET } from './people.ts'

/** The user store of `createAuth`. */
export type AuthSource = Pick<AuthOptions, 'connectionString' | 'database'>

/** A database without users. */
export interface Opened {
  readonly source: AuthSource
  /** Reads and changes the auth data directly. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** A way to create an auth instance. */
export interface Way {
  readonly way: string
  open(): Promise<Opened>
  /** The same, with an unavailable database. */
  openAway(): Promise<Opened>
}

/** No server listens there. */
const AWAY = 'postgres://nobody@127.0.0.1:1/nothing'

const EMBEDDED: readonly Way[] = [
  { way: 'PGlite', open: async () => openPglite(await openShared(openDatabase)), openAway: openClosed },
]

const SERVED: readonly Way[] = [
  {
    way: 'PostgreSQL',
    open: async () => openPostgres(await createDatabase()),
    openAway: () => Promise.resolve(openPostgres(AWAY)),
  },
  {
    way: 'Drizzle',
    open: async () => openDrizzle(await createDatabase(), true),
    openAway: () => openDrizzle(AWAY, false),
  },
]

const isServed = process.env['SDK_TEST_STORES'] === 'databases'

/**
 * All ways to create an auth instance; every test of the contract must pass for each. The quick tests use the one that
 * needs no server. Files use all of them if the driver can make a difference: rows that are written, read, listed and
 * deleted (sessions).
 */
export const ways: readonly Way[] = isServed ? SERVED : EMBEDDED

/**
 * The ways with separate adapters. The adapter of PostgreSQL is that of PGlite, on which `conformance` runs the same
 * files, so tokens, bodies, responses, users, user-passwords and secrets use it only in `npm run chaos`.
 */
export const distinctWays: readonly Way[] = choose(ways, ways.slice(-1))

/**
 * One way. The files about cookies, origins, paths, redirects and guessing use the database in the same way as the
 * others, so they run on all of them only in `npm run chaos`.
 */
export const oneWay: readonly Way[] = choose(ways, ways.slice(0, 1))

function openPglite(database: Database): Opened {
  return { source: { database }, query: (text, values) => database.query(text, values), close: () => database.close() }
}

async function openClosed(): Promise<Opened> {
  const opened = openPglite(openDatabase('pglite://memory'))
  await opened.close()
  return opened
}

function openPostgres(connectionString: string): Opened {
  const behind = openDatabase(connectionString)
  return {
    source: { connectionString },
    query: (text, values) => behind.query(text, values),
    close: () => behind.close(),
  }
}

/** The tables of a project, created with Drizzle. */
export async function openDrizzle(url: string, hasTables: boolean): Promise<Opened> {
  const database = openDatabase(url)
  // A project would create the tables with its migrations.
  if (hasTables) await createAuth({ database, secret: SECRET }).ready()
  const { drizzle } = (await load('drizzle-orm/node-postgres')) as {
    drizzle: (pool: unknown, options: object) => AuthDrizzle
  }
  return {
    source: { database: drizzleAdapter(drizzle(database.pool, { schema }), { provider: 'pg' }) },
    query: (text, values) => database.query(text, values),
    close: () => database.close(),
  }
}

// Only the auth package depends on Drizzle, so resolve it from there.
const { resolve } = createRequire(createRequire(import.meta.url).resolve('@sdk/auth/package.json'))
const load = (name: string): Promise<unknown> =>
  import(/* @vite-ignore */ pathToFileURL(resolve(name).replace(/\.cjs$/, '.js')).href)
