import type { StorePlan } from '@sdk/server'
import type { ClientConfig } from 'pg'
import { type ChangeFeed, createChangeFeed, feedsByClient, type ListenForChanges } from '../live/change-feed.ts'
import { listenOnServer } from '../live/listen-on-server.ts'
import { createLiveTriggers, LIVE_CHANNEL, LIVE_TRIGGERS } from '../live/live-triggers.ts'
import { safeStep } from '../migrate/expand-contract.ts'
import { findSqlError } from '../sql-error.ts'
import { columnOf, type Layout, type RunStatement } from '../table-layout.ts'
import { TableMismatch } from '../table-mismatch.ts'

type Result = { readonly rows: unknown[] }

/** The members of Drizzle's clients that are used here: those of PGlite, and those of the pool of `pg`. */
interface DriverClient {
  exec?(sql: string): Promise<Result[]>
  query?(sql: string): Promise<Result>
  listen?(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  readonly options?: ClientConfig
  connect?: unknown
}

/** Returns the changes of the live tables in a Drizzle database, or null if its driver cannot listen for them. */
export function findFeed(client: object | undefined): ChangeFeed | null {
  if (client === undefined) return null
  const listen = toListen(client)
  return feedsByClient.get(client) ?? (listen && createChangeFeed(client, listen))
}

function toListen(client: DriverClient): ListenForChanges | null {
  const { options } = client
  if (typeof client.connect === 'function' && options !== undefined)
    // The pool hides its password from enumeration.
    return listenOnServer({ ...options, ...(options.password !== undefined && { password: options.password }) })
  if (typeof client !== 'object' || client.listen === undefined) return null
  return ({ connected, onNotification }) => {
    const listening = client.listen?.(LIVE_CHANNEL, onNotification).then((unlisten) => {
      connected()
      return unlisten
    })
    listening?.catch(() => {}) // fails only if the database is closed, which has no changes
    return { close: () => listening?.then((unlisten) => unlisten()).catch(() => {}) }
  }
}

/**
 * Returns a function that runs a statement without binding its parameters, which Drizzle always does: the plan of a
 * statement with bound parameters may lack tables. Returns no rows with other drivers.
 */
export function createPlainQuery(client: DriverClient = {}): (sql: string) => Promise<unknown[]> {
  return async (sql) => {
    if (client.exec !== undefined) return (await client.exec(sql))[0]?.rows ?? []
    return (await client.query?.(sql))?.rows ?? []
  }
}

/** Plans the missing triggers of a live table. */
export async function planLiveTriggers(run: RunStatement, layout: Layout): Promise<StorePlan> {
  const steps = (await findMissing(run, layout)).map(safeStep)
  const what = 'the resource is live, but no triggers announce changes'
  return {
    table: layout.table,
    changes: steps.length === 0 ? [] : [{ what, why: null, kind: 'automatic', isLive: true, steps }],
  }
}

/** Creates the missing triggers of a live table. Throws an error with the SQL if the role does not own the table. */
export async function ensureLiveTriggers(run: RunStatement, layout: Layout): Promise<void> {
  const sql = await findMissing(run, layout)
  if (sql.length === 0) return
  // One statement is one transaction. The lock is the one for all tables, since the tables share a function.
  const steps = ["perform pg_advisory_xact_lock(hashtextextended('sdk tables', 0))", ...sql]
  try {
    await run({ text: `do $sdk$ begin ${steps.join(';\n')}; end $sdk$`, values: [] })
  } catch (error) {
    if (findSqlError(error)?.code !== '42501') throw error
    const fix = `run this SQL as the owner of the table:\n${sql.map((statement) => `${statement};`).join('\n')}`
    throw new TableMismatch(`${layout.table} is live, but this role cannot create its triggers: ${fix}`, {
      cause: error,
    })
  }
}

async function findMissing(run: RunStatement, layout: Layout): Promise<string[]> {
  const found = await run({ text: FIND_TRIGGERS, values: [layout.table] })
  const names = new Set(found.map(({ name }) => name))
  if (LIVE_TRIGGERS.every((name) => names.has(name))) return []
  return createLiveTriggers({ ...layout, id: columnOf(layout, 'id').name })
}

const FIND_TRIGGERS = `select tgname as name from pg_trigger where tgrelid = to_regclass($1::text) and not tgisinternal`
