import { quoteIdent } from '@sdk/database'
import type { BetterAuthOptions } from 'better-auth'
import { getAuthTables, parseSessionOutput, parseUserOutput } from 'better-auth/db'
import type { AuthRecord } from './request-auth.ts'

/** The SQL statements that read sessions from Better Auth's tables. */
export interface SessionStatements {
  /** The statement that selects a session and its user; `$1` is the session's token. */
  readonly byToken: string
  /** The statement that selects a session and its user; `$1` is the session's id. */
  readonly byId: string
  /** The statement that selects the expiry time of each session whose id is in `$1`. */
  readonly activeSessions: string
  /** Converts a row that `byToken` or `byId` returned. */
  toRecord(row: Record<string, unknown>): AuthRecord
}

type BetterAuthField = ReturnType<typeof getAuthTables>[string]['fields'][string]

interface SelectedColumn {
  readonly name: string
  readonly column: string
  readonly alias: string
  /** Whether the column contains ids, which Better Auth treats as strings even if the column is numeric. */
  readonly isId: boolean
}

/**
 * Creates the statements for the tables that these options define, including the fields of plugins. Returns null if
 * only Better Auth can read the sessions, because they are in secondary storage or have fields that it transforms.
 */
export function toSessionStatements(options: BetterAuthOptions): SessionStatements | null {
  const { session, user } = getAuthTables(options)
  if (session === undefined || user === undefined || options.secondaryStorage !== undefined) return null
  const visibleSession = parseSessionOutput(options, toNullRecord(session.fields) as never)
  const visibleUser = parseUserOutput(options, toNullRecord(user.fields) as never)
  const sessionCells = toSelectedColumns(session.fields, { visible: visibleSession, letter: 's' })
  const userCells = toSelectedColumns(user.fields, { visible: visibleUser, letter: 'u' })
  if (sessionCells === null || userCells === null) return null
  const columnOf = (field: string): string => quoteIdent(session.fields[field]?.fieldName ?? field)
  const list = [...sessionCells, ...userCells].map(({ column, alias }) => `${column} as ${alias}`).join(', ')
  const join = `${quoteTable(session.modelName)} s join ${quoteTable(user.modelName)} u on u."id" = s.${columnOf('userId')}`
  return {
    byToken: `select ${list} from ${join} where s.${columnOf('token')} = $1`,
    byId: `select ${list} from ${join} where s."id" = $1`,
    activeSessions: `select s."id" as id, s.${columnOf('expiresAt')} as expires from ${join} where s."id" = any($1)`,
    toRecord: (row) => ({
      session: toObject(sessionCells, row) as unknown as AuthRecord['session'],
      user: toObject(userCells, row),
    }),
  }
}

/** Creates a record with all fields set to null, to find out which fields Better Auth returns. */
function toNullRecord(fields: Record<string, BetterAuthField>): Record<string, null> {
  return Object.fromEntries(['id', ...Object.keys(fields)].map((name) => [name, null]))
}

function toSelectedColumns(
  fields: Record<string, BetterAuthField>,
  { visible, letter }: { visible: object; letter: string },
): readonly SelectedColumn[] | null {
  const names = Object.keys(visible)
  if (names.some((name) => !isStoredAsIs(fields[name]))) return null
  return names.map((name, index) => ({
    name,
    column: `${letter}.${quoteIdent(fields[name]?.fieldName ?? name)}`,
    alias: `${letter}${index}`,
    isId: name === 'id' || fields[name]?.references?.field === 'id',
  }))
}

/** Returns whether the column stores the value as Better Auth returns it. Arrays, for example, are stored as text. */
function isStoredAsIs(field: BetterAuthField | undefined): boolean {
  return field?.transform?.output === undefined && !(typeof field?.type === 'string' && field.type.endsWith('[]'))
}

function toObject(cells: readonly SelectedColumn[], row: Record<string, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const { name, alias, isId } of cells) {
    const value = row[alias]
    object[name] = isId && typeof value === 'number' ? String(value) : value
  }
  return object
}

/** Quotes a table name, which may include a schema. */
function quoteTable(name: string): string {
  return name.split('.').map(quoteIdent).join('.')
}
