import type { ApiError, DetailSource } from '@sdk/protocol'
import { httpError } from './http-error.ts'

/** A parsed request target. The path is decoded once, for both routing and access checks. */
export interface RequestTarget {
  /** The path, decoded segment by segment. Inside a segment, `/` remains `%2F` and `%` remains `%25`. */
  readonly path: string
  /** The query string as sent, without the `?`. */
  readonly search: string
}

/** Parses a request target. Throws 400 if it is malformed. */
export function parseTarget(target: string): RequestTarget {
  if (target.includes('\\')) throw malformed('INVALID_FORMAT', 'has a backslash', { source: 'path', name: 'path' })
  if (target.includes('#')) throw malformed('INVALID_FORMAT', 'has a fragment', { source: 'path', name: 'path' })
  const mark = target.indexOf('?')
  const raw = mark === -1 ? target : target.slice(0, mark)
  const search = mark === -1 ? '' : target.slice(mark + 1)
  return { path: raw.includes('%') ? raw.split('/').map(decodeSegment).join('/') : raw, search }
}

/** Decodes a path parameter. */
export function decodeParam(segment: string): string {
  return segment.includes('%') ? segment.replaceAll('%2F', '/').replaceAll('%25', '%') : segment
}

/** Parses the parameters in a query string. Throws 400 if a parameter appears more than once. */
export function parseQuery(search: string): Record<string, string> {
  if (search === '') return EMPTY_QUERY
  const query = Object.create(null) as Record<string, string>
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decodeForm(at === -1 ? pair : pair.slice(0, at))
    if (name in query) throw malformed('DUPLICATE_PARAMETER', 'appears more than once', { source: 'query', name })
    query[name] = at === -1 ? '' : decodeForm(pair.slice(at + 1))
  }
  return query
}

/** A query without parameters. */
export const EMPTY_QUERY: Readonly<Record<string, string>> = Object.freeze(
  Object.create(null) as Record<string, string>,
)

function decodeSegment(segment: string): string {
  return decodeComponent(segment, { source: 'path', name: 'path' }).replaceAll('%', '%25').replaceAll('/', '%2F')
}

function decodeForm(text: string): string {
  return decodeComponent(text.replaceAll('+', ' '), { source: 'query', name: 'query' })
}

function decodeComponent(text: string, place: { source: DetailSource; name: string }): string {
  if (PLAIN_TEXT.test(text)) return text
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw malformed('INVALID_FORMAT', 'has a malformed percent escape', place)
  }
  if (decoded.includes('\0')) throw malformed('INVALID_UNICODE', 'has a NUL character', place)
  return decoded
}

/** Text that decoding does not change. */
const PLAIN_TEXT = /^[\w.,:~-]*$/

function malformed(code: string, message: string, place: { source: DetailSource; name: string }): ApiError {
  return httpError('INVALID_REQUEST', `${place.name} ${message}`, { details: [{ code, message, ...place }] })
}

/** Removes the query string, which may contain tokens, such as those in emailed links. */
export function pathIn(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}
