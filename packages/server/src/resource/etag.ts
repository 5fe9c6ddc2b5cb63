import type { ApiError } from '@sdk/protocol'
import type { ServerRequest } from '../http/server-request.ts'
import { httpError, validationError } from '../http/http-error.ts'
import { parseHttpDate } from '../http/http-date.ts'
import { toHash } from './hash.ts'
import type { ResourceShape, Row } from '../define/store.ts'

/** A function that returns the ETag of a row as sent to callers. */
export type ToEtag = (row: Row) => string

/**
 * Creates a function that builds strong ETags from a row's version, the time of its last change and the visible fields.
 * The version alone is not enough: manual SQL might not update it, a different row may have the same id and version
 * after data loss, and a new version of the app may change the visible fields.
 */
export function createEtags(shape: ResourceShape): ToEtag {
  const print = printOf(shape)
  return ({ version, updatedAt }) => {
    const moment = Date.parse(updatedAt).toString(36)
    return `"${typeof version === 'number' ? version : encodeURIComponent(version)}-${moment}-${print}"`
  }
}

/** Returns a fingerprint of the visible fields, which may differ between versions of the app. */
export function printOf({ name, fields }: ResourceShape): string {
  return toHash(JSON.stringify([name, fields.map((field) => [field.name, field.type])]))
}

/**
 * The preconditions defined in RFC 9110 §13, with dates in ms since the Unix epoch. Each is null if its header was not
 * sent or is overridden by `If-Match` or `If-None-Match`.
 */
export interface Preconditions {
  readonly match: Tags | null
  readonly unmodifiedSince: number | null
  readonly noneMatch: Tags | null
  readonly modifiedSince: number | null
}

type Tags = readonly string[] | '*'

/** The state that preconditions are evaluated against. Date conditions apply only if the state has a date. */
export interface State {
  readonly etag: string
  readonly updatedAt?: string
}

/**
 * Parses the four precondition headers. Malformed tags throw 400; malformed dates are ignored, as RFC 9110 requires.
 */
export function parsePreconditions(call: ServerRequest): Preconditions {
  const [match, noneMatch] = [parseTags(call, 'If-Match'), parseTags(call, 'If-None-Match')]
  return {
    match,
    unmodifiedSince: match === null ? parseHttpDate(call.header('if-unmodified-since')) : null,
    noneMatch,
    modifiedSince: noneMatch === null ? parseHttpDate(call.header('if-modified-since')) : null,
  }
}

/** Returns whether the client's cached copy is current, in which case the response is 304. */
export function isFresh(state: State, conditions: Preconditions): boolean {
  const { modifiedSince } = conditions
  return isNamed(state, conditions) || (modifiedSince !== null && isUnchangedSince(state, modifiedSince, false))
}

/** Throws if the state does not match the preconditions, or if a required `If-Match` is missing. */
export function assertState(state: State, conditions: Preconditions, isRequired: boolean): void {
  const { etag } = state
  if (conditions.match === null && isRequired) {
    const message = 'If-Match is required: send the ETag of the version you read'
    throw httpError('PRECONDITION_REQUIRED', message, { headers: { etag } })
  }
  if (!isMatched(state, conditions) || isNamed(state, conditions)) throw changed(etag)
}

/** Returns whether the state satisfies `If-Match` and `If-Unmodified-Since`. A weak tag never matches. */
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

/** Truncates the time of a change to seconds, the precision of HTTP dates. Returns ms since the Unix epoch. */
export function toSecond(updatedAt: string): number {
  return Math.floor(Date.parse(updatedAt) / 1_000) * 1_000
}

/** Creates the error for an outdated state. `etag` is the current ETag. */
export function changed(etag: string): ApiError {
  return httpError('PRECONDITION_FAILED', 'version conflict: the row has changed; read it again', { headers: { etag } })
}

/** Matches a list of entity tags (RFC 9110). Quoted tags may contain commas. */
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
