import { toPointer, type ApiError, type DetailCode } from '@sdk/protocol'
import { findDuplicate } from './duplicate-field.ts'
import { validationError } from './http-error.ts'

const MAX_JSON_DEPTH = 32

/**
 * Reads the JSON of a request body strictly: no member named twice, no text that cannot be stored,
 * no deep nesting. `JSON.parse` lets all of these pass.
 */
export function parseJson(text: string): unknown {
  const value = parseText(text)
  const members = assertStorableJson(value, text.includes('\\u'))
  if (typeof value !== 'object' || value === null) return value
  // Most bodies have as many colons as members, so nothing stands twice and no second look is needed.
  if (countColons(text) !== members && structuralColons(text) !== members) throw duplicateField(text)
  return value
}

/**
 * Refuses what JSON can say and nobody can keep: deep nesting, endless numbers, `__proto__`, and, where the text has
 * escapes, NUL and half characters. Gives how many members there are.
 */
export function assertStorableJson(value: unknown, hasEscapes: boolean): number {
  if (typeof value === 'object' && value !== null) {
    const walk = { members: 0, hasEscapes, path: [] }
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
    throw jsonIssue('INVALID_FORMAT', 'is not JSON', [])
  }
}

/** Walks through a body. Texts need a look only where one has escapes: UTF-8 itself has no lone surrogates. */
function visit(value: object, walk: { members: number; readonly hasEscapes: boolean; readonly path: string[] }): void {
  const { path, hasEscapes } = walk
  if (path.length >= MAX_JSON_DEPTH) throw tooDeep(path)
  const isArray = Array.isArray(value)
  const keys = Object.keys(value)
  if (!isArray) walk.members += keys.length
  for (const key of keys) {
    if (key === '__proto__') throw jsonIssue('UNKNOWN_FIELD', 'is not allowed', [...path, key])
    const inner: unknown = (value as Record<string, unknown>)[key]
    if (hasEscapes && !isArray) assertStorableText(key, path)
    if (typeof inner === 'object' && inner !== null) {
      path.push(key)
      visit(inner, walk)
      path.pop()
    } else if (hasEscapes && typeof inner === 'string') {
      assertStorableText(inner, [...path, key])
    } else if (isInfinite(inner)) {
      throw numberTooLarge([...path, key])
    }
  }
}

/** `JSON.parse` reads `1e999` as Infinity, which JSON cannot write again. */
function isInfinite(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
}

function assertStorableText(text: string, path: readonly string[]): void {
  if (hasUnstorableCharacters(text))
    throw jsonIssue('INVALID_UNICODE', 'has an unpaired surrogate or a NUL character', path)
}

/** Has it an unpaired surrogate or a NUL character? Neither can be kept. */
export function hasUnstorableCharacters(text: string): boolean {
  return /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)
}

function countColons(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++
  return count
}

/** The colons outside of strings: one a member. The text is known to be JSON. */
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

/** The error for a name that is there twice. Its first value was not looked at yet, and may nest too deep. */
function duplicateField(text: string): ApiError {
  const found = findDuplicate(text, MAX_JSON_DEPTH)
  if (found?.isTooDeep === true) return tooDeep(found.path)
  return jsonIssue('DUPLICATE_FIELD', 'is there twice', found?.path ?? [])
}

function tooDeep(path: readonly string[]): ApiError {
  return jsonIssue('INVALID_VALUE', `nests deeper than ${MAX_JSON_DEPTH} levels`, path)
}

function numberTooLarge(path: readonly string[]): ApiError {
  return jsonIssue('TOO_LARGE', 'is too large a number', path)
}

function jsonIssue(code: DetailCode, message: string, path: readonly string[]): ApiError {
  return validationError([{ code, message, source: 'body', pointer: toPointer(path) }])
}
