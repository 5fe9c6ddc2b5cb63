import type { ApiError, DetailSource } from '@sdk/protocol'
import { httpError } from './http-error.ts'

/** A request target taken apart; its path decoded once, for routing and for access checks alike. */
export interface RequestTarget {
  /** Decoded segment by segment; a `/` inside a segment stays `%2F`, a `%` stays `%25`. */
  readonly path: string
  /** The query as it was sent, without its `?`. */
  readonly search: string
}

/** Takes a request target apart; a malformed escape is 400. */
export function parseTarget(target: string): RequestTarget {
  if (target.includes('\\')) throw malformed('INVALID_FORMAT', 'has a backslash', { source: 'path', name: 'path' })
  if (target.includes('#')) throw malformed('INVALID_FORMAT', 'has a fragment', { source: 'path', name: 'path' })
  const mark = target.indexOf('?')
  const raw = mark === -1 ? target : target.slice(0, mark)
  const search = mark === -1 ? '' : target.slice(mark + 1)
  return { path: raw.includes('%') ? raw.split('/').map(decodeSegment).join('/') : raw, search }
}

/** A path parameter as it was meant. */
export function decodeParam(segment: string): string {
  return segment.includes('%') ? segment.replaceAll('%2F', '/').replaceAll('%25', '%') : segment
}

/** The query's parameters; a repeated key is 400. */
export function parseQuery(search: string): Record<string, string> {
  if (search === '') return EMPTY_QUERY
  const query = Object.create(null) as Record<string, string>
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decodeForm(at === -1 ? pair : pair.slice(0, at))
    if (name in query) throw malformed('DUPLICATE_PARAMETER', 'is given twice', { source: 'query', name })
    query[name] = at === -1 ? '' : decodeForm(pair.slice(at + 1))
  }
  return query
}

/** No parameters at all. */
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
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw malformed('INVALID_FORMAT', 'has a malformed percent escape', place)
  }
  if (decoded.includes('\0')) throw malformed('INVALID_UNICODE', 'has a NUL character', place)
  return decoded
}

function malformed(code: string, message: string, place: { source: DetailSource; name: string }): ApiError {
  return httpError('INVALID_REQUEST', `${place.name} ${message}`, { details: [{ code, message, ...place }] })
}
