import { ApiError, type ErrorDetail } from '@sdk/protocol'
import { findSqlError, isSerializationFailure, type SqlError, toSerializationError } from '../sql-error.ts'
import { isIndexName } from '../migrate/table-design.ts'
import type { LayoutColumn, Layout } from '../table-layout.ts'

/** The operation that failed. */
export type StoreOperation = 'read' | 'write' | 'delete'

/**
 * The SQLSTATEs for invalid values: out of range, invalid syntax, invalid times, too long, invalid characters, null,
 * failed checks, and too long for an index.
 */
const INVALID_VALUE_STATES = /^(22003|22P02|22007|22008|22001|22021|22P05|23502|23514|54000)$/

/**
 * Converts an error about the caller's values to an error without SQL. Returns other errors unchanged. A missing value
 * for a column that is not in the layout is not the caller's fault: a newer version of the app added the column.
 */
export function toStoreError(error: unknown, layout: Layout, operation: StoreOperation): unknown {
  const sql = findSqlError(error)
  if (sql === null) return error
  if (sql.code === '23505' || sql.code === '23P01')
    return conflict(error, { code: 'NOT_UNIQUE', message: 'is taken' }, fieldsOf(sql, layout))
  if (sql.code === '23503' && operation === 'write' && isOwnKey(sql, layout))
    return invalidReference(error, fieldsOf(sql, layout))
  if (sql.code === '23503' || sql.code === '23001')
    return operation === 'delete'
      ? conflict(error, { code: 'REFERENCED', message: 'is still referenced' }, [])
      : conflict(error, { code: 'REFERENCED', message: 'references a row that does not exist' }, fieldsOf(sql, layout))
  if (isSerializationFailure(sql)) return toSerializationError(error)
  if (sql.code === '23502' && !layout.columns.some(({ name }) => name === sql.column)) return error
  return INVALID_VALUE_STATES.test(sql.code) ? invalidValue(error, operation, fieldsOf(sql, layout)) : error
}

/** Returns whether a foreign key was created for `references`. Its errors are the same in every store. */
function isOwnKey({ constraint }: SqlError, { table }: Layout): boolean {
  return typeof constraint === 'string' && isIndexName(constraint, table.slice(1, -1))
}

function invalidReference(cause: unknown, fields: readonly string[]): ApiError {
  const reason = { code: 'REFERENCED', message: 'references a row that does not exist' }
  const message = `${fields.join(' and ') || 'a value'} ${reason.message}`
  return new ApiError('INVALID_REQUEST', message, { cause, details: toFieldDetails(reason, fields) })
}

type Reason = Pick<ErrorDetail, 'code' | 'message'>

function conflict(cause: unknown, { code, message }: Reason, fields: readonly string[]): ApiError {
  const details = toFieldDetails({ code, message }, fields)
  const subject = `${fields.length === 1 ? '' : 'the combination of '}${fields.join(' and ')}`
  const text = fields.length === 0 ? MESSAGES_WITHOUT_FIELD.get(message) : `${subject} ${message}`
  return new ApiError('CONFLICT', text ?? message, { cause, details })
}

const MESSAGES_WITHOUT_FIELD: ReadonlyMap<string, string> = new Map([
  ['is taken', 'another row has the same values'],
  ['is still referenced', 'other rows still reference it'],
  ['references a row that does not exist', 'a value references a row that does not exist'],
])

function invalidValue(cause: unknown, operation: StoreOperation, fields: readonly string[]): ApiError {
  const reason = { code: 'INVALID_VALUE', message: 'has a value that cannot be stored' }
  if (operation === 'write')
    return new ApiError('INVALID_REQUEST', `${fields.join(' or ') || 'a field'} ${reason.message}`, {
      cause,
      details: toFieldDetails(reason, fields),
    })
  const message = 'a value does not match the type of its field'
  return new ApiError('INVALID_REQUEST', message, { cause, details: [{ code: reason.code, message, source: 'query' }] })
}

function toFieldDetails(reason: Reason, fields: readonly string[]): ErrorDetail[] {
  if (fields.length === 0) return [{ ...reason, source: 'body' }]
  return fields.map((field) => ({ ...reason, source: 'body', pointer: `/${field}` }))
}

/** Returns the fields that an error refers to by its column, by the key in its details, or by its constraint's name. */
function fieldsOf({ column, detail, constraint }: SqlError, { columns }: Layout): string[] {
  const named = columns.filter(({ name }) => name === column)
  // The details are `Key (owner_id, lower(title))=(7, x) …`, in the server's language.
  const key = typeof detail === 'string' ? /\((.*?)\)=\(/s.exec(detail)?.[1] : undefined
  const keyed = key === undefined ? [] : columns.filter(({ name }) => hasName(key, name))
  const found = [named, keyed, findByConstraint(columns, constraint)].find((list) => list.length > 0) ?? []
  // Callers must not see the names of fields that only `assign` sets.
  return found.filter(({ field, isRead }) => field !== 'id' && isRead !== false).map(({ field }) => field)
}

function hasName(key: string, name: string): boolean {
  return key.split(/[^\p{L}\p{N}_$]+/u).includes(name) || key.includes(`"${name.replaceAll('"', '""')}"`)
}

/**
 * Finds the column by the constraint's name, such as `tasks_title_key` (PostgreSQL) or `tasks_title_unique` (Drizzle).
 * The longest match wins.
 */
function findByConstraint(columns: readonly LayoutColumn[], constraint: unknown): LayoutColumn[] {
  if (typeof constraint !== 'string') return []
  const words = `_${constraint.replaceAll(/[^\p{L}\p{N}]+/gu, '_')}_`
  const fitting = columns.filter(({ name }) => words.includes(`_${name}_`))
  return fitting.toSorted((one, other) => other.name.length - one.name.length).slice(0, 1)
}
