// The lists of the hand-written server: query strings, cursors, pages.
import { createHash } from 'node:crypto'
import { PATH } from './shape.mjs'

const SORTS = new Set(['id', 'priority', 'createdAt'])
const PARSE = {
  done: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  priority: (text) => (/^[0-9]{1,9}$/.test(text) ? Number(text) : null),
}

/** Parses a query string; null if it is invalid. */
export function toQuery({ limit = '20', sort = 'id', cursor, ...others }) {
  const isDescending = sort.startsWith('-')
  const field = isDescending ? sort.slice(1) : sort
  const filters = toFilters(others)
  if (filters === null || !SORTS.has(field) || !/^[1-9][0-9]?$|^100$/.test(limit)) return null
  const name = `${sort} ${Object.entries(filters).join()}`
  const place = cursor === undefined ? [name, 1, null] : fromCursor(cursor)
  if (place === null || place[0] !== name) return null
  const [, side, after] = place
  return { name, field, sort, isDescending, isBack: side === -1, filters, after, limit: Number(limit) }
}

/** Returns the page of the rows, and its headers. */
export function toPage(query, found) {
  const { name, field, isBack, after, limit } = query
  const isMore = found.length > limit
  const data = isMore ? found.slice(0, limit) : found
  if (isBack) data.reverse()
  const at = (row, side) => row && toCursor([name, side, field === 'id' ? [row.id] : [row[field], row.id]])
  const nextCursor = isMore || isBack ? at(data.at(-1), 1) : null
  const prevCursor = (isMore && isBack) || (after !== null && !isBack) ? at(data[0], -1) : null
  const pagination = { limit, hasMore: nextCursor !== null, nextCursor, prevCursor }
  return { body: { data, pagination }, etag: toEtag(data, nextCursor), link: toLink(query, pagination) }
}

function toFilters(others) {
  const filters = {}
  for (const name in others) {
    const value = PARSE[name]?.(others[name]) ?? null
    if (value === null) return null
    filters[name] = value
  }
  return filters
}

function toCursor(place) {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function fromCursor(text) {
  try {
    const place = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(place) && Array.isArray(place[2]) ? place : null
  } catch {
    return null // not one of ours
  }
}

function toEtag(rows, next) {
  const hash = createHash('sha1')
  hash.update(rows.map(({ id, version }) => `${id}-${version}`).join())
  return `W/"${hash.update(String(next)).digest('base64url')}"`
}

function toLink({ sort, filters, limit }, { nextCursor, prevCursor }) {
  let url = `${PATH}?limit=${limit}&sort=${sort}`
  for (const name in filters) url += `&${name}=${filters[name]}`
  const links = []
  if (nextCursor !== null) links.push(`<${url}&cursor=${nextCursor}>; rel="next"`)
  if (prevCursor !== null) links.push(`<${url}&cursor=${prevCursor}>; rel="prev"`)
  return links.join(', ')
}
