import { ApiError } from './errors.ts'

/** The default and the maximum number of items per page. */
export const PAGE_LIMIT = { default: 20, max: 100 } as const

/** The position of a page in its list. `hasMore` is equivalent to `nextCursor !== null`. */
export interface Pagination {
  /** The maximum number of items on the page. */
  limit: number
  /** Whether there is a page after this one. */
  hasMore: boolean
  /** The `cursor` of the next page, or null on the last page. */
  nextCursor: string | null
  /** The `cursor` of the previous page, or null on the first page. */
  prevCursor: string | null
  /** The number of items in the entire list. Only set with `count=true`. */
  total?: number
}

/** One page of a list. */
export interface Page<T> {
  /** The items on this page. */
  data: T[]
  /** The position of the page in the list. */
  pagination: Pagination
}

/** A value that a list can be sorted by. */
export type CursorValue = string | number | boolean | null

/** A position between two rows of a list. It is sent as an opaque string. */
export interface Cursor {
  /** The list that the cursor belongs to: its sort and filters. A cursor from a different list is rejected. */
  list: string
  /** Whether the page is after or before the position. */
  direction: 'next' | 'prev'
  /** The sort values of the row at the position. */
  after: CursorValue[]
}

/** Encodes a cursor as an opaque, URL-safe string. */
export function encodeCursor({ list, direction, after }: Cursor): string {
  const text = JSON.stringify([list, direction === 'next' ? 1 : -1, after])
  return btoa(BEYOND_ASCII.test(text) ? toBinary(text) : text).replaceAll(/[+/=]/g, toUrlSafe)
}

/**
 * Decodes a cursor for this list. Throws a 400 with the detail `INVALID_CURSOR` if it is malformed or belongs to
 * another list. Clients can forge cursors, so a cursor is only a position and never grants access.
 */
export function decodeCursor(text: string, list: string): Cursor {
  const [name, side, after] = readCursor(text)
  if (name === undefined) throw invalidCursor('is malformed')
  if (name !== list) throw invalidCursor('belongs to a list with a different sort or filters')
  if ((side !== 1 && side !== -1) || !Array.isArray(after) || !after.every(isCursorValue))
    throw invalidCursor('is malformed')
  return { list, direction: side === 1 ? 'next' : 'prev', after }
}

/**
 * Returns the `Link` header for a page, or null if there is no next or previous page. `toUrl` returns the URL of the
 * page at a cursor.
 */
export function toLinkHeader(pagination: Pagination, toUrl: (cursor: string) => string): string | null {
  const link = (cursor: string | null, rel: string): string[] =>
    cursor === null ? [] : [`<${toUrl(cursor)}>; rel="${rel}"`]
  return [...link(pagination.nextCursor, 'next'), ...link(pagination.prevCursor, 'prev')].join(', ') || null
}

function readCursor(text: string): unknown[] {
  try {
    const binary = atob(text.replaceAll(/[-_]/g, fromUrlSafe))
    const value: unknown = JSON.parse(BEYOND_ASCII.test(binary) ? fromBinary(binary) : binary)
    return Array.isArray(value) ? value : []
  } catch {
    return [] // not a cursor
  }
}

/**
 * Matches text that must be encoded as UTF-8 first, since `btoa` accepts one byte per character. Most cursors are
 * ASCII.
 */
const BEYOND_ASCII = /[^\0-\x7f]/

/** Returns the UTF-8 bytes of a string, each as one character. */
function toBinary(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
}

function fromBinary(binary: string): string {
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function toUrlSafe(character: string): string {
  return character === '+' ? '-' : character === '/' ? '_' : ''
}

function fromUrlSafe(character: string): string {
  return character === '-' ? '+' : '/'
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function invalidCursor(why: string): ApiError {
  const message = `cursor ${why}`
  return new ApiError('INVALID_REQUEST', message, {
    details: [{ code: 'INVALID_CURSOR', message, source: 'query', name: 'cursor' }],
  })
}
