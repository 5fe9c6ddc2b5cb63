import { invalidRequest, toPointer, type ApiError, type DetailCode } from '@sdk/protocol'

/** How deep a body may nest. */
const MAX_DEPTH = 32

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads the JSON of a request body strictly: UTF-8, no member named twice, no text that cannot be stored,
 * no deep nesting. `JSON.parse` lets all but the first of these pass.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  const value = parse(text)
  const counted = { members: 0, hasEscapes: text.includes('\\u') }
  visit(value, [], counted)
  // Most bodies have as many colons as members, so nothing stands twice and no second look is needed.
  if (countColons(text) !== counted.members && structuralColons(text) !== counted.members)
    throw fault('DUPLICATE_FIELD', 'names a member twice', { path: [] })
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw fault('INVALID_UNICODE', 'is not UTF-8', { path: [], cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fault('INVALID_FORMAT', 'is not JSON', { path: [], cause })
  }
}

function visit(value: unknown, path: string[], counted: { members: number; hasEscapes: boolean }): void {
  if (typeof value === 'string') {
    if (counted.hasEscapes && hasForbidden(value))
      throw fault('INVALID_UNICODE', 'has an unpaired surrogate or a NUL character', { path })
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (path.length >= MAX_DEPTH) throw fault('INVALID_VALUE', `nests deeper than ${MAX_DEPTH} levels`, { path })
  const isArray = Array.isArray(value)
  for (const key of Object.keys(value)) {
    if (!isArray) counted.members++
    if (counted.hasEscapes && !isArray && hasForbidden(key))
      throw fault('INVALID_UNICODE', 'has an unpaired surrogate or a NUL character', { path })
    const inner: unknown = Reflect.get(value, key)
    if (typeof inner === 'object' ? inner !== null : counted.hasEscapes) visit(inner, [...path, key], counted)
  }
}

function hasForbidden(text: string): boolean {
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

function fault(code: DetailCode, message: string, place: { path: string[]; cause?: unknown }): ApiError {
  const error = invalidRequest([{ code, message, source: 'body', pointer: toPointer(place.path) }])
  if ('cause' in place) error.cause = place.cause
  return error
}
