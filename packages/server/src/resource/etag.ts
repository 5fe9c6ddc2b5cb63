import type { ApiError } from '@sdk/protocol'
import type { ServerRequest } from '../http/server-request.ts'
import { httpError, validationError } from '../http/http-error.ts'
import { parseHttpDate } from '../http/http-date.ts'
import { toHash } from './hash.ts'
import type { ResourceShape, Row } from '../define/store.ts'

/** Names the state of a row as callers see it. */
export type ToEtag = (row: Row) => string

/**
 * Strong tags: the version of the row; when it last changed, since SQL by hand may leave the version as it was, and after
 * a loss another row may have its id and version; and the fields that are shown, which a new version of the program may
 * change.
 */
export function createEtags(shape: ResourceShape): ToEtag {
  const print = printOf(shape)
  return ({ version, updatedAt }) => {
    const moment = Date.parse(updatedAt).toString(36)
    return `"${typeof version === 'number' ? version : encodeURIComponent(version)}-${moment}-${print}"`
  }
}

/** Tells the shown fields of one version of the program from those of another. */
export function printOf({ name, fields }: ResourceShape): string {
  return toHash(JSON.stringify([name, fields.map((field) => [field.name, field.type])]))
}

/** The preconditions of RFC 9110 §13; null: not sent, or overruled by the header with tags. Dates are in ms since 1970. */
export interface Preconditions {
  readonly match: Tags | null
  readonly unmodifiedSince: number | null
  readonly noneMatch: Tags | null
  readonly modifiedSince: number | null
}

type Tags = readonly string[] | '*'

/** The state that preconditions are compared with; a date applies only where the state has one. */
export interface State {
  readonly etag: string
  readonly updatedAt?: string
}

/** Reads the four headers; malformed tags are 400, and a malformed date is ignored, as RFC 9110 requires. */
export function parsePreconditions(call: ServerRequest): Preconditions {
  const [match, noneMatch] = [parseTags(call, 'If-Match'), parseTags(call, 'If-None-Match')]
  return {
    match,
    unmodifiedSince: match === null ? parseHttpDate(call.header('if-unmodified-since')) : null,
    noneMatch,
    modifiedSince: noneMatch === null ? parseHttpDate(call.header('if-modified-since')) : null,
  }
}

/** Is the state that a reader has still the current one? Then it is not sent again. */
export function isFresh(state: State, conditions: Preconditions): boolean {
  const { modifiedSince } = conditions
  return isNamed(state, conditions) || (modifiedSince !== null && isUnchangedSince(state, modifiedSince, false))
}

/** Refuses a change of another state than the caller means, or of any where `If-Match` is required. */
export function assertState(state: State, conditions: Preconditions, isRequired: boolean): void {
  const { etag } = state
  if (conditions.match === null && isRequired) {
    const message = 'say by If-Match which version you mean: its ETag comes with a GET'
    throw httpError('PRECONDITION_REQUIRED', message, { headers: { etag } })
  }
  if (!isMatched(state, conditions) || isNamed(state, conditions)) throw changed(etag)
}

/** Do `If-Match` and `If-Unmodified-Since` let this state pass? A weak tag never does. */
export function isMatched(state: State, { match, unmodifiedSince }: Preconditions): boolean {
  const { etag } = state
  if (unmodifiedSince !== null) return isUnchangedSince(state, unmodifiedSince, true)
  return match === null || match === '*' || (!etag.startsWith('W/') && match.includes(etag))
}

function isNamed({ etag }: State, { noneMatch }: Preconditions): boolean {
  const opaque = (tag: string): string => tag.replace(/^W\//, '')
  return noneMatch !== null && (noneMatch === '*' || noneMatch.some((tag) => opaque(tag) === opaque(etag)))
}

function isUnchangedSince({ updatedAt }: State, date: number, otherwise: boolean): boolean {
  return updatedAt === undefined ? otherwise : toSecond(updatedAt) <= date
}

/** The second in which a row changed, in ms since 1970: HTTP dates have no fraction. */
export function toSecond(updatedAt: string): number {
  return Math.floor(Date.parse(updatedAt) / 1_000) * 1_000
}

/** The error for a state that is no more; `etag` is that of now. */
export function changed(etag: string): ApiError {
  return httpError('PRECONDITION_FAILED', 'it has changed since: read it again', { headers: { etag } })
}

/** A list of tags of RFC 9110; commas may stand within quotes. */
const TAG_LIST = /^[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,[\s,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[\s,]*$/
const TAG = /(?:W\/)?"[^"]*"/g

function parseTags(call: ServerRequest, name: string): Tags | null {
  const header = call.header(name.toLowerCase())
  if (header === null) return null
  if (header.trim() === '*') return '*'
  if (header.length <= 4_096 && TAG_LIST.test(header)) return header.match(TAG) ?? []
  const message = 'must be * or entity tags in quotes, such as "3-1k2j"'
  throw validationError([{ code: 'INVALID_FORMAT', message, source: 'header', name }])
}
