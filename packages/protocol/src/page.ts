import { ApiError } from './errors.ts'

/** The maximum and the default number of items of a page. */
export const PAGE_LIMIT = { default: 20, max: 100 } as const

/** The position of a page in its list. `hasMore` is `nextCursor !== null`. */
export interface Pagination {
  /** The maximum number of items of the page. */
  limit: number
  /** Whether there is a page after this one. */
  hasMore: boolean
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
  /** The `cursor` of the page before; null on the first. */
  prevCursor: string | null
  /** The number of items of the whole list; only with `count=true`. */
  total?: number
}

/** One page of a list. */
export interface Page<T> {
  /** The items of this page. */
  data: T[]
  /** The position of the page in the list. */
  pagination: Pagination
}

/** A value a list can be sorted by. */
export type CursorValue = string | number | boolean | null

/** A position between two rows of a list; sent as opaque text. */
export interface Cursor {
  /** Names the list: its sort and filters. A cursor of another list is refused. */
  list: string
  /** The side of the position that the page is on. */
  direction: 'next' | 'prev'
  /** The sort values of the row at the position. */
  after: CursorValue[]
}

/** Encodes a cursor as opaque text that is safe in a URL. */
export function encodeCursor({ list, direction, after }: Cursor): string {
  const text = JSON.stringify([list, direction === 'next' ? 1 : -1, after])
  return btoa(BEYOND_ASCII.test(text) ? toBinary(text) : text).replaceAll(/[+/=]/g, toUrlSafe)
}

/**
 * Decodes a cursor of this list; anything else is 400 with the detail `INVALID_CURSOR`. Clients can forge one: it is a
 * position, never a permission.
 */
export function decodeCursor(text: string, list: string): Cursor {
  const [name, side, after] = readCursor(text)
  if (name === undefined) throw invalidCursor('is malformed')
  if (name !== list) throw invalidCursor('belongs to a list with a different sort or filters')
  if ((side !== 1 && side !== -1) || !Array.isArray(after) || !after.every(isCursorValue))
    throw invalidCursor('is malformed')
  return { list, direction: side === 1 ? 'next' : 'prev', after }
}

/** Returns the `Link` header of a page, or null if it has no neighbours. `toUrl` returns the URL of the page at a cursor. */
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

/** `btoa` accepts one byte per character, so such text must be encoded first. Most cursors do not need it. */
const BEYOND_ASCII = /[^\0-\x7f]/

/** Returns the bytes of UTF-8, each as one character. */
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
