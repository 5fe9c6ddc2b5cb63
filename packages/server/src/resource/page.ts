import { decodeCursor, encodeCursor, toLinkHeader, type Cursor, type CursorValue, type Pagination } from '@sdk/protocol'
import { validationError } from '../http/http-error.ts'
import { isCursorValue } from './field-value.ts'
import { SYSTEM_FIELDS } from '../define/resource-fields.ts'
import { printOf } from './etag.ts'
import { Hash, toHash } from './hash.ts'
import type { ListRequest } from './list-query.ts'
import { sortValuesOf } from './sort-order.ts'
import { cutRows, rowBytesOf } from './row-bytes.ts'
import type { ListResult, ResourceShape, Row, SortKey, StoreWith, Where } from '../define/store.ts'

/** One page of rows, and where its neighbours are. */
export interface RowPage {
  readonly rows: readonly Row[]
  readonly pagination: Pagination
}

/** The rows that a page may have. */
interface PageRules {
  readonly shape: ResourceShape
  readonly where: Where
  /** Bytes that its rows may have together; it has at least one row. */
  readonly maxBytes: number
}

/** Reads one page. It ends early where its rows have too many bytes. */
export async function readPage(
  store: StoreWith<'list'>,
  request: ListRequest,
  { shape, where, maxBytes }: PageRules,
): Promise<RowPage> {
  const { limit, sort, conditions, isCounted } = request
  const name = toListName(shape.name, request)
  const from = request.cursor === null ? null : assertCursor(decodeCursor(request.cursor, name), sort, shape)
  const isBackward = from?.direction === 'prev'
  const isBounded = rowBytesOf(shape) * (limit + 1) <= maxBytes
  const result = await store.list({
    // One more tells whether there is a page behind this one.
    limit: limit + 1,
    sort: isBackward ? sort.map(({ field, isDescending }) => ({ field, isDescending: !isDescending })) : sort,
    after: from?.after ?? null,
    conditions,
    where,
    isCounted,
    ...(isBounded ? {} : { maxBytes }),
  })
  const isKept = isBounded || result.isCut !== undefined
  return toPage(isKept ? result : cutRows(result, limit, maxBytes), request, { name, from })
}

/** The `Link` header of a page of this list. */
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

/** A page as JSON. */
export function serializePage({ rows, pagination }: RowPage, toText: (row: Row) => string): string {
  let text = ''
  // Not `join`, which would make one more copy.
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? '' : ',') + toText(rows[at] as Row)
  return `{"data":[${text}],"pagination":${JSON.stringify(pagination)}}`
}

/** Names a list by its sort and its filters; in which order the URL says those makes no difference. */
function toListName(resource: string, { sort, conditions }: ListRequest): string {
  const keys = sort.map(({ field, isDescending }) => (isDescending ? `-${field}` : field))
  if (conditions.length === 0) return toHash(`${resource} ${keys.join(',')}`)
  const asked = conditions.map(({ field, operator, value }) => {
    const values = operator === 'in' ? value.map((one) => JSON.stringify(one)).toSorted() : JSON.stringify(value)
    return `${field} ${operator} ${String(values)}`
  })
  return toHash(`${resource} ${keys.join(',')} ${asked.toSorted().join(' ')}`)
}

function toPage(
  { rows: found, total, isCut }: ListResult,
  { limit, sort, isCounted }: ListRequest,
  { name, from }: { name: string; from: Cursor | null },
): RowPage {
  const isBackward = from?.direction === 'prev'
  const isMore = isCut === true || found.length > limit
  const rows = found.slice(0, limit)
  if (isBackward) rows.reverse()
  const at = (row: Row | undefined, direction: Cursor['direction']): string | null => {
    const after = row === undefined ? emptyPagePosition(from, sort) : sortValuesOf(row, sort)
    return after === null ? null : encodeCursor({ list: name, direction, after })
  }
  // A caller with a cursor came from a neighbouring page, so there is one in that direction.
  const nextCursor = isMore || isBackward ? at(rows.at(-1), 'next') : null
  const prevCursor = (isMore && isBackward) || (from !== null && !isBackward) ? at(rows[0], 'prev') : null
  return {
    rows,
    pagination: {
      limit,
      hasMore: nextCursor !== null,
      nextCursor,
      prevCursor,
      ...(isCounted && total !== undefined && { total }),
    },
  }
}

/** Where an empty page stands: at its cursor. Back from there, the row at the place counts too. */
function emptyPagePosition(from: Cursor | null, sort: readonly SortKey[]): CursorValue[] | null {
  if (from === null) return null
  const isAscending = (sort.at(-1)?.isDescending === true) === (from.direction === 'prev')
  const id = Number(from.after.at(-1)) + (isAscending ? 1 : -1)
  // Beyond, a cursor would not be taken for one of ours.
  return [...from.after.slice(0, -1), Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, id))]
}

/** Anyone can write a cursor; one whose values fit no row of this list is not ours. */
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

/** Weak tags: the same rows in the same versions, between the same neighbours. */
export function createListEtags(shape: ResourceShape): (page: RowPage) => string {
  const print = printOf(shape)
  return ({ rows, pagination }) => {
    const hash = new Hash()
    hash.add(print)
    for (const { id, version, updatedAt } of rows) {
      hash.add(`${id} ${version}`)
      hash.add(updatedAt)
    }
    const { limit, nextCursor, prevCursor, total } = pagination
    hash.add(`${limit} ${total} ${nextCursor} ${prevCursor}`)
    return `W/"${hash.end()}"`
  }
}
