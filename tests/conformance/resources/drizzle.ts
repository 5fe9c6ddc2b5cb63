import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { drizzleTable, openDatabase } from '@sdk/database'
import type { StoreSource } from '@sdk/server'
import type { Kind, Stores } from './store-case.ts'

type Db = Parameters<typeof drizzleTable>[0]
type PgTable = Parameters<typeof drizzleTable>[1]

type ColumnType = 'bigint' | 'boolean' | 'date' | 'doublePrecision' | 'integer' | 'jsonb' | 'text' | 'timestamp'

/** The used parts of `drizzle-orm/pg-core`: tables, and a function for each column type. */
type PgCore = Record<ColumnType, (name: string, options?: object) => unknown> & {
  pgTable(name: string, columns: Record<string, unknown>): PgTable
}

// Only the database package depends on Drizzle, so resolve it from there.
const { resolve } = createRequire(createRequire(import.meta.url).resolve('@sdk/database/package.json'))
const load = (name: string): Promise<unknown> =>
  import(/* @vite-ignore */ pathToFileURL(resolve(name).replace(/\.cjs$/, '.js')).href)

/** Existing tables with a Drizzle schema. */
export async function openDrizzle(url: string): Promise<Stores> {
  const database = openDatabase(url)
  const { drizzle } = (await load('drizzle-orm/node-postgres')) as { drizzle: (pool: unknown) => Db }
  const core = (await load('drizzle-orm/pg-core')) as PgCore
  const db = drizzle(database.pool)
  return {
    async source(kind: Kind, name: string): Promise<StoreSource> {
      await database.query(`create table if not exists ${name} (${COLUMNS[kind].join(', ')})`)
      return drizzleTable(db, core.pgTable(name, toColumns(core, kind)))
    },
    close: () => database.close(),
  }
}

const OWN = [
  'id bigint generated always as identity primary key',
  'created_at timestamptz(3) not null default now()',
  'updated_at timestamptz(3) not null default now()',
  'version integer not null default 1',
]

const COLUMNS: Record<Kind, readonly string[]> = {
  tasks: [
    ...OWN,
    'title text not null',
    'notes text',
    'done boolean not null',
    'priority integer not null',
    'score double precision',
    'estimate bigint',
    'due_at timestamptz(3)',
    'due_date date',
    'tags jsonb not null',
    'meta jsonb',
  ],
  documents: [
    ...OWN,
    'slug text not null unique',
    'body text not null',
    'team text not null',
    'code integer unique',
    'owner_id text',
  ],
  members: [
    ...OWN,
    'person text not null',
    'team text not null',
    'seat integer',
    'owner_id text',
    'unique (person, team)',
    'unique (owner_id, seat)',
  ],
  notes: [...OWN, 'title text not null', 'body text not null', 'parent_id bigint', 'owner_id text'],
}

function toColumns(core: PgCore, kind: Kind): Record<string, unknown> {
  const column = (type: ColumnType, name: string, options?: object): unknown => core[type](name, options)
  const time = (name: string, mode: string): unknown =>
    column('timestamp', name, { withTimezone: true, precision: 3, mode })
  const own = {
    id: column('bigint', 'id', { mode: 'number' }),
    createdAt: time('created_at', 'date'),
    updatedAt: time('updated_at', 'date'),
    version: column('integer', 'version'),
  }
  if (kind === 'documents')
    return {
      ...own,
      slug: column('text', 'slug'),
      body: column('text', 'body'),
      team: column('text', 'team'),
      code: column('integer', 'code'),
      ownerId: column('text', 'owner_id'),
    }
  if (kind === 'members')
    return {
      ...own,
      person: column('text', 'person'),
      team: column('text', 'team'),
      seat: column('integer', 'seat'),
      ownerId: column('text', 'owner_id'),
    }
  if (kind === 'notes')
    return {
      ...own,
      title: column('text', 'title'),
      body: column('text', 'body'),
      parentId: column('bigint', 'parent_id', { mode: 'number' }),
      ownerId: column('text', 'owner_id'),
    }
  return {
    ...own,
    title: column('text', 'title'),
    notes: column('text', 'notes'),
    done: column('boolean', 'done'),
    priority: column('integer', 'priority'),
    score: column('doublePrecision', 'score'),
    estimate: column('bigint', 'estimate', { mode: 'number' }),
    dueAt: time('due_at', 'string'),
    dueDate: column('date', 'due_date'),
    tags: column('jsonb', 'tags'),
    meta: column('jsonb', 'meta'),
  }
}
