import { decodeCursor, encodeCursor, toLinkHeader, type Cursor, type CursorValue, type Pagination } from '@sdk/protocol'
import { validationError } from '../http/http-error.ts'
import { isCursorValue } from './field-value.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { printOf } from './etag.ts'
import { Hash, toHash } from './hash.ts'
import type { ListRequest } from './list-query.ts'
import { sortValuesOf } from './sort-order.ts'
import { addRelated, splitQueries, type RelatedQueries } from './add-related.ts'
import { cutRows, rowBytesOf } from './row-bytes.ts'
import type { ListResult, ResourceShape, Row, SortKey, StoreWith, Where } from '../define/store.ts'

/** A page of rows and its pagination data. */
export interface RowPage {
  readonly rows: readonly Row[]
  readonly pagination: Pagination
  /** The rows in reading order, followed by the row behind the page, if there is one. */
  readonly found: readonly Row[]
  /** Whether the page ends early because of its size, so that the row behind it is unknown. */
  readonly isCut: boolean
}

/** The start of a page. */
export interface PageStart {
  /** A hash of the list, which is part of its cursors. */
  readonly name: string
  /** The decoded cursor, or null for the first page. */
  readonly from: Cursor | null
  /** The sort order in which the page is read, which is reversed for a page before a cursor. */
  readonly order: readonly SortKey[]
}

/** The constraints on the rows of a page. */
interface PageRules {
  readonly shape: ResourceShape
  readonly where: Where
  /** The maximum total size of the rows, in bytes. The first row is included even if it is larger. */
  readonly maxBytes: number
  /** The relations to add to the rows, or null if the request has no `expand`. */
  readonly expansion: RelatedQueries | null
}

/** Reads a page. It contains fewer than `limit` rows if more would exceed `maxBytes`. */
export async function readPage(
  store: StoreWith<'list'>,
  request: ListRequest,
  { shape, where, maxBytes, expansion }: PageRules,
): Promise<RowPage> {
  const { limit, conditions, isCounted } = request
  const start = toPageStart(shape, request)
  const isBounded = (rowBytesOf(shape) + (expansion?.rowBytes ?? 0)) * (limit + 1) <= maxBytes
  const { apart, related } = splitQueries(store, expansion?.queries ?? [])
  const result = await store.list({
    // One extra row indicates whether there is a next page.
    limit: limit + 1,
    sort: start.order,
    after: start.from?.after ?? null,
    conditions,
    where,
    isCounted,
    ...(isBounded ? {} : { maxBytes }),
    ...related,
  })
  const isKept = isBounded || result.isCut !== undefined
  const kept = isKept ? result : cutRows(result, limit, maxBytes)
  return toPage(await addRelated(kept, apart, { limit, maxBytes }), request, start)
}

/** Returns the start of the page that a request asks for. Throws 400 if the cursor is invalid. */
export function toPageStart(shape: ResourceShape, request: ListRequest): PageStart {
  const { cursor, sort } = request
  const name = toListName(shape.name, request)
  const from = cursor === null ? null : assertCursor(decodeCursor(cursor, name), sort, shape)
  const isBackward = from?.direction === 'prev'
  const order = isBackward ? sort.map(({ field, isDescending }) => ({ field, isDescending: !isDescending })) : sort
  return { name, from, order }
}

/** Returns the `Link` header of a page, or null if it has no links. */
export function toLinks(path: string, query: Readonly<Record<string, string>>, pagination: Pagination): string | null {
  return toLinkHeader(pagination, (cursor) => {
    let search = `limit=${pagination.limit}`
    for (const name in query) {
      if (name !== 'cursor' && name !== 'limit')
        search += `&${encodeURIComponent(name)}=${encodeURIComponent(query[name] ?? '')}`
    }
    return `${path}?${search}&cursor=${cursor}`
  })
}

/** Serializes a page to JSON. */
export function serializePage({ rows, pagination }: RowPage, toText: (row: Row) => string): string {
  let text = ''
  // Concatenated, because `join` would create another copy.
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? '' : ',') + toText(rows[at] as Row)
  return `{"data":[${text}],"pagination":${JSON.stringify(pagination)}}`
}

/** Returns a hash of a list's sort order and filters. The order of the filters in the URL does not matter. */
function toListName(resource: string, { sort, conditions }: ListRequest): string {
  const keys = sort.map(({ field, isDescending }) => (isDescending ? `-${field}` : field))
  if (conditions.length === 0) return toHash(`${resource} ${keys.join(',')}`)
  const asked = conditions.map(({ field, operator, value }) => {
    const values = operator === 'in' ? value.map((one) => JSON.stringify(one)).toSorted() : JSON.stringify(value)
    return `${field} ${operator} ${String(values)}`
  })
  return toHash(`${resource} ${keys.join(',')} ${asked.toSorted().join(' ')}`)
}

/** Converts the rows that were read to a page. */
export function toPage(
  { rows: found, total, isCut }: ListResult,
  { limit, sort, isCounted }: ListRequest,
  { name, from }: PageStart,
): RowPage {
  const isBackward = from?.direction === 'prev'
  const isMore = isCut === true || found.length > limit
  const rows = found.slice(0, limit)
  if (isBackward) rows.reverse()
  const at = (row: Row | undefined, direction: Cursor['direction']): string | null => {
    const after = row === undefined ? emptyPagePosition(from, sort) : sortValuesOf(row, sort)
    return after === null ? null : encodeCursor({ list: name, direction, after })
  }
  // A cursor always comes from an adjacent page, so there is a page in the direction that it came from.
  const nextCursor = isMore || isBackward ? at(rows.at(-1), 'next') : null
  const prevCursor = (isMore && isBackward) || (from !== null && !isBackward) ? at(rows[0], 'prev') : null
  return {
    rows,
    found,
    isCut: isCut === true,
    pagination: {
      limit,
      hasMore: nextCursor !== null,
      nextCursor,
      prevCursor,
      ...(isCounted && total !== undefined && { total }),
    },
  }
}

/**
 * Returns the position of an empty page: the position of its cursor, shifted by one id so that paging back includes the
 * row at the cursor.
 */
function emptyPagePosition(from: Cursor | null, sort: readonly SortKey[]): CursorValue[] | null {
  if (from === null) return null
  const isAscending = (sort.at(-1)?.isDescending === true) === (from.direction === 'prev')
  const id = Number(from.after.at(-1)) + (isAscending ? 1 : -1)
  // Ids outside the safe integer range would make the cursor invalid.
  return [...from.after.slice(0, -1), Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, id))]
}

/** Throws if the cursor's values are invalid for this list, because clients can forge cursors. */
function assertCursor(cursor: Cursor, sort: readonly SortKey[], { fields }: ResourceShape): Cursor {
  const known = [...fields, ...SYSTEM_FIELDS]
  const isValid =
    cursor.after.length === sort.length &&
    sort.every((key, at) => {
      const field = known.find(({ name }) => name === key.field)
      return field !== undefined && isCursorValue(cursor.after[at] ?? null, field)
    })
  if (isValid) return cursor
  const message = 'is malformed'
  throw validationError([{ code: 'INVALID_CURSOR', message, source: 'query', name: 'cursor' }])
}

/** Creates a function that builds a page's weak ETag from the ids and versions of its rows and from its pagination. */
export function createListEtags(shape: ResourceShape): (page: RowPage) => string {
  const print = printOf(shape)
  return ({ rows, pagination }) => {
    const hash = new Hash()
    hash.add(print)
    for (const { id, version, updatedAt } of rows) {
      hash.addNumber(id)
      if (typeof version === 'number') hash.addNumber(version)
      else hash.add(version)
      hash.add(updatedAt)
    }
    const { limit, nextCursor, prevCursor, total } = pagination
    hash.add(`${limit} ${total} ${nextCursor} ${prevCursor}`)
    return `W/"${hash.end()}"`
  }
}
