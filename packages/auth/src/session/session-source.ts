import { createHash } from 'node:crypto'
import { type Database, createStatementRunner } from '@sdk/database'
import { parseUserOutput } from 'better-auth/db'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import type { AuthRecord } from './request-auth.ts'
import { type SessionStatements, toSessionStatements } from './session-statement.ts'

/** A source that reads sessions from the database, including expired ones. */
export interface SessionSource {
  byToken(token: string): Promise<AuthRecord | null>
  byId(id: string): Promise<AuthRecord | null>
  /** Returns the expiry time of each session in ms since the Unix epoch. Deleted sessions are omitted. */
  getActiveSessions(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Creates a source that uses prepared statements on `database` if possible, otherwise Better Auth's adapter. */
export function createSessionSource(library: BetterAuth, database: Database | null): SessionSource {
  const statements = database && toSessionStatements(library.context.options)
  return database && statements ? createPreparedSource(database, statements) : createAdapterSource(library)
}

function createPreparedSource(database: Database, statements: SessionStatements): SessionSource {
  const run = createStatementRunner(database)
  const names = { byToken: statementNameOf(statements.byToken), byId: statementNameOf(statements.byId) }
  const read = async (by: keyof typeof names, value: string): Promise<AuthRecord | null> => {
    const [row] = await run({ text: statements[by], name: names[by], values: [value] })
    return row === undefined ? null : statements.toRecord(row)
  }
  return {
    byToken: (token) => read('byToken', token),
    byId: (id) => read('byId', id),
    async getActiveSessions(ids) {
      const rows = await database.query<{ id: string; expires: Date }>(statements.activeSessions, [ids])
      return new Map(rows.map(({ id, expires }) => [id, expires.getTime()]))
    },
  }
}

/** Derives a statement's name from its text, so that shared pools never use the same name for two statements. */
function statementNameOf(text: string): string {
  return `sdk_auth_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
}

type SessionRow = AuthRecord['session'] & { user: Parameters<typeof parseUserOutput>[1] | null }

function createAdapterSource({ context }: BetterAuth): SessionSource {
  const { adapter, internalAdapter, options } = context
  return {
    byToken: (token) => internalAdapter.findSession(token),
    async byId(id) {
      const where = [{ field: 'id', value: id }]
      const found = await adapter.findOne<SessionRow>({ model: 'session', where, join: { user: true } })
      return found?.user ? { session: found, user: parseUserOutput(options, found.user) } : null
    },
    async getActiveSessions(ids) {
      const active = new Map<string, number>()
      const limit = 1_000
      for (let first = 0; first < ids.length; first += limit) {
        const where = [{ field: 'id', operator: 'in' as const, value: ids.slice(first, first + limit) }]
        const found = await adapter.findMany<AuthRecord['session']>({ model: 'session', where, limit })
        for (const { id, expiresAt } of found) active.set(id, expiresAt.getTime())
      }
      return active
    },
  }
}
