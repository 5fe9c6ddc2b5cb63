import { toPointer, type ApiError, type DetailCode } from '@sdk/protocol'
import { findDuplicate } from './duplicate-field.ts'
import { DEFAULT_BOUNDS, type EntryCost, type JsonBounds } from '../schema/json-bounds.ts'
import { httpError, validationError } from './http-error.ts'

const MAX_JSON_DEPTH = 32

/**
 * The minimum sizes at which the schema determines the cost of an entry. In smaller arrays and objects, each entry
 * costs 1.
 */
const LONG_LIST = 5
const LONG_OBJECT = 17

/**
 * Parses a JSON request body strictly. Rejects duplicate names, strings that cannot be stored, deep nesting, and more
 * values than the limits allow. `JSON.parse` accepts all of these.
 */
export function parseJson(text: string, bounds: JsonBounds = DEFAULT_BOUNDS): unknown {
  const value = parseText(text)
  const members = assertStorableJson(value, text.includes('\\u'), bounds)
  if (typeof value !== 'object' || value === null) return value
  // Most bodies have no colons in strings, so this count usually rules out duplicates and avoids the slower scan.
  if (countColons(text) !== members && structuralColons(text) !== members) throw duplicateField(text)
  return value
}

/**
 * Throws if a JSON value cannot be stored or is too large to validate. Rejects deep nesting, too many values, infinite
 * numbers, `__proto__` and, if the text has escapes, NUL characters and unpaired surrogates. Returns the number of
 * object members.
 */
export function assertStorableJson(value: unknown, hasEscapes: boolean, bounds: JsonBounds): number {
  if (typeof value === 'object' && value !== null) {
    const walk = { members: 0, objects: 0, values: 0, path: [], hasEscapes, bounds }
    visit(value, walk)
    return walk.members
  }
  if (hasEscapes && typeof value === 'string') assertStorableText(value, [])
  else if (isInfinite(value)) throw numberTooLarge([])
  return 0
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw jsonIssue('INVALID_FORMAT', 'is not valid JSON', [])
  }
}

interface JsonWalk {
  /** The number of object members. If the text has more colons outside strings, it has a duplicate name. */
  members: number
  objects: number
  values: number
  readonly path: PropertyKey[]
  readonly hasEscapes: boolean
  readonly bounds: JsonBounds
}

/**
 * Visits a body recursively. Strings are checked only if the text has escapes, since valid UTF-8 has no lone
 * surrogates.
 */
function visit(value: object, walk: JsonWalk): void {
  const { path, hasEscapes } = walk
  if (path.length >= MAX_JSON_DEPTH) throw tooDeep(path)
  const keys = Array.isArray(value) ? null : Object.keys(value)
  const size = keys === null ? (value as unknown[]).length : keys.length
  if (keys !== null) walk.members += size
  countObject(walk)
  const cost = size < (keys === null ? LONG_LIST : LONG_OBJECT) ? null : walk.bounds.entryCost(path)
  countValues(walk, size * (cost?.values ?? 1))
  for (let at = 0; at < size; at++) {
    const key = keys === null ? at : (keys[at] as string)
    if (key === '__proto__') throw jsonIssue('UNKNOWN_FIELD', 'is not allowed', [...path, key])
    const inner: unknown = (value as Record<PropertyKey, unknown>)[key]
    if (hasEscapes && typeof key === 'string') assertStorableText(key, path)
    if (typeof inner === 'object' && inner !== null) {
      path.push(key)
      visit(inner, walk)
      path.pop()
      continue
    }
    if (cost !== null) countScalar(walk, inner, cost)
    if (hasEscapes && typeof inner === 'string') assertStorableText(inner, [...path, key])
    else if (isInfinite(inner)) throw numberTooLarge([...path, key])
  }
}

function countObject(walk: JsonWalk): void {
  const { objects } = walk.bounds
  if (++walk.objects > objects) throw tooManyValues(objects, 'objects and arrays')
}

function countValues(walk: JsonWalk, count: number): void {
  const { values } = walk.bounds
  walk.values += count
  if (walk.values > values) throw tooManyValues(values, 'values, weighted by their validation cost')
}

function countScalar(walk: JsonWalk, value: unknown, { isObject, types, mismatch }: EntryCost): void {
  if (isObject) countObject(walk)
  if (types !== null && !types.has(value === null ? 'null' : typeof value)) countValues(walk, mismatch)
}

/** Returns whether a value is infinite. `JSON.parse` reads `1e999` as Infinity, which JSON cannot represent. */
function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
}

function assertStorableText(text: string, path: readonly PropertyKey[]): void {
  if (hasUnstorableCharacters(text))
    throw jsonIssue('INVALID_UNICODE', 'has an unpaired surrogate or a NUL character', path)
}

/** Returns whether a string has an unpaired surrogate or a NUL character, which cannot be stored. */
export function hasUnstorableCharacters(text: string): boolean {
  return /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)
}

function countColons(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++
  return count
}

/** Counts the colons outside strings, one for each member. The text must be valid JSON. */
function structuralColons(text: string): number {
  let count = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) isInString = !isInString
    else if (isInString) at += code === 0x5c ? 1 : 0
    else if (code === 0x3a) count++
  }
  return count
}

/**
 * Creates the error for a duplicate name, or for deep nesting if it comes first. `JSON.parse` keeps only the last value
 * of a name, so the depth of earlier values has not been checked yet.
 */
function duplicateField(text: string): ApiError {
  const found = findDuplicate(text, MAX_JSON_DEPTH)
  if (found?.isTooDeep === true) return tooDeep(found.path)
  return jsonIssue('DUPLICATE_FIELD', 'appears more than once', found?.path ?? [])
}

function tooDeep(path: readonly PropertyKey[]): ApiError {
  return jsonIssue('INVALID_VALUE', `is nested deeper than ${MAX_JSON_DEPTH} levels`, path)
}

/**
 * Creates the error for too many values. It is thrown before validation, since reporting every issue could take far too
 * long.
 */
function tooManyValues(max: number, what: string): ApiError {
  const message = `has more than ${max} ${what}`
  return httpError('CONTENT_TOO_LARGE', `the JSON ${message}: send fewer`, {
    details: [{ code: 'TOO_LONG', message, source: 'body', pointer: '', max }],
  })
}

function numberTooLarge(path: readonly PropertyKey[]): ApiError {
  return jsonIssue('TOO_LARGE', 'is too large to represent as a number', path)
}

function jsonIssue(code: DetailCode, message: string, path: readonly PropertyKey[]): ApiError {
  return validationError([{ code, message, source: 'body', pointer: toPointer(path) }])
}
