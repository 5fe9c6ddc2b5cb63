import type { Field, ListResult, ResourceShape, Row } from '../define/store.ts'

/** The estimated size of a fixed-length value in JSON, in bytes, including its name and punctuation. */
const PLAIN_BYTES = 100
/** The maximum size of a character in JSON, in bytes: a control character becomes `\u0001`. */
const CHARACTER_BYTES = 6

/** Returns the maximum size of a row in JSON, in bytes. It is infinite if a field has no maximum length. */
export function rowBytesOf({ fields }: ResourceShape): number {
  return fields.reduce((sum, field) => sum + PLAIN_BYTES + textBytesOf(field), 4 * PLAIN_BYTES)
}

function textBytesOf({ type, maxLength }: Field): number {
  if (type !== 'string') return type === 'json' ? Number.POSITIVE_INFINITY : 0
  return (maxLength ?? Number.POSITIVE_INFINITY) * CHARACTER_BYTES
}

/** Returns as many of the first rows as fit in `maxBytes`, but at least one. */
export function cutRows(result: ListResult, limit: number, maxBytes: number): ListResult {
  const rows = result.rows.slice(0, limit)
  let bytes = 0
  const end = rows.findIndex((row, at) => (bytes += estimateBytes(row)) > maxBytes && at > 0)
  return end === -1 ? result : { ...result, rows: rows.slice(0, end), isCut: true }
}

/** Estimates the size of a row in JSON, in bytes. Each UTF-16 code unit of a string counts as one byte. */
export function estimateBytes(row: Row): number {
  let bytes = 0
  for (const name in row) {
    const value = row[name]
    bytes += name.length + 4
    if (typeof value === 'string') bytes += value.length
    else bytes += typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8
  }
  return bytes
}
