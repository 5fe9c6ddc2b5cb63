import { ApiError } from './errors.ts'

/** How many items a page has, at most and by default. */
export const PAGE_LIMIT = { default: 20, max: 100 } as const

/** Where a page stands in its list. `hasMore` is `nextCursor !== null`. */
export interface Pagination {
  limit: number
  hasMore: boolean
  nextCursor: string | null
  prevCursor: string | null
  /** How many items the whole list has; only when asked for with `count=true`. */
  total?: number
}

/** One page of a list. */
export interface Page<T> {
  data: T[]
  pagination: Pagination
}

/** A value a list can be sorted by. */
export type CursorValue = string | number | boolean | null

/** The place between two rows of a list; travels as opaque text. */
export interface Cursor {
  /** Names the list: its sort and filters. A cursor of another list is refused. */
  list: string
  /** Which side of the place the page lies on. */
  direction: 'next' | 'prev'
  /** The sort values of the row at the place. */
  after: CursorValue[]
}

/** A cursor as opaque text that is safe in a URL. */
export function encodeCursor(cursor: Cursor): string {
  const bytes = new TextEncoder().encode(
    JSON.stringify([cursor.list, cursor.direction === 'next' ? 1 : -1, cursor.after]),
  )
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** The cursor in a text, for the list it must belong to; anything else is 400 with the detail `INVALID_CURSOR`. */
export function decodeCursor(text: string, list: string): Cursor {
  const value = readCursor(text)
  if (!Array.isArray(value) || value.length !== 3) throw invalidCursor('is not one of ours')
  const [name, side, after] = value as unknown[]
  if (name !== list) throw invalidCursor('belongs to a list with another sort or other filters')
  if ((side !== 1 && side !== -1) || !Array.isArray(after) || !after.every(isCursorValue))
    throw invalidCursor('is not one of ours')
  return { list, direction: side === 1 ? 'next' : 'prev', after }
}

/** The `Link` header of a page, or null where it has no neighbours. `toUrl` gives the URL of the page at a cursor. */
export function toLinkHeader(pagination: Pagination, toUrl: (cursor: string) => string): string | null {
  const links = [
    ...(pagination.nextCursor === null ? [] : [`<${toUrl(pagination.nextCursor)}>; rel="next"`]),
    ...(pagination.prevCursor === null ? [] : [`<${toUrl(pagination.prevCursor)}>; rel="prev"`]),
  ]
  return links.length === 0 ? null : links.join(', ')
}

function readCursor(text: string): unknown {
  try {
    if (text.length > 4096 || !/^[\w-]+$/.test(text)) return undefined
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined // whatever it was, it is not a cursor
  }
}

function isCursorValue(value: unknown): value is CursorValue {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  )
}

function invalidCursor(why: string): ApiError {
  const message = `cursor ${why}`
  return new ApiError('INVALID_REQUEST', message, {
    details: [{ code: 'INVALID_CURSOR', message, source: 'query', name: 'cursor' }],
  })
}
