import type { ApiError } from '@sdk/protocol'
import type { ServerRequest } from '../http/server-request.ts'
import { httpError, validationError } from '../http/http-error.ts'
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

/** What `If-Match` and `If-None-Match` say; null: nothing. */
export interface Preconditions {
  readonly match: Tags | null
  readonly noneMatch: Tags | null
}

type Tags = readonly string[] | '*'

/** Reads both headers; a malformed one is 400. */
export function parsePreconditions(call: ServerRequest): Preconditions {
  return { match: parseTags(call, 'If-Match'), noneMatch: parseTags(call, 'If-None-Match') }
}

/** Is the state that the caller has still the one there is? Then there is nothing to send. */
export function isFresh(etag: string, { noneMatch }: Preconditions): boolean {
  const opaque = (tag: string): string => tag.replace(/^W\//, '')
  return noneMatch !== null && (noneMatch === '*' || noneMatch.some((tag) => opaque(tag) === opaque(etag)))
}

/** Refuses a change of another state than the caller means, or of any where the caller must say. */
export function assertState(etag: string, conditions: Preconditions, isRequired: boolean): void {
  const { match } = conditions
  if (match === null && isRequired) {
    const message = 'say by If-Match which version you mean: its ETag comes with a GET'
    throw httpError('PRECONDITION_REQUIRED', message, { headers: { etag } })
  }
  if (!isMatched(etag, conditions) || isFresh(etag, conditions)) throw changed(etag)
}

/** Does `If-Match` let this state pass? A weak tag never does. */
export function isMatched(etag: string, { match }: Preconditions): boolean {
  return match === null || match === '*' || (!etag.startsWith('W/') && match.includes(etag))
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
