import { isSecret } from '@sdk/server/node'
import type { RunHeaders } from '../run.ts'
import { HIDDEN, hideRanges, secretRanges, type SecretRange, type SecretRules } from './secret-ranges.ts'
import { shapeRanges } from './secret-shapes.ts'

/** A redactor for secrets, which are recognized by their format or by the name of their header or field. */
export interface Redactor {
  text(text: string): string
  /** Redacts text that is split into chunks. A secret can span several chunks. */
  chunks(pieces: readonly string[]): readonly string[]
  /** Redacts headers, which are given as alternating names and values. */
  headers(raw: readonly string[]): RunHeaders
  target(target: string): string
}

/** A name and value in a query string. Without the lookbehind, matching 16 kB would take a second. */
const QUERY_PAIR = /(?<=^|[?&#])([^?&=#]+)=[^&#]*/g

/** Creates a redactor for the names that are redacted in logs, and for additional names. */
export function createRedactor(names: readonly string[] = []): Redactor {
  const further = new Set(names.map(normalizeName))
  const isHidden = (name: string, value: unknown): boolean => isSecret(name, value) || further.has(normalizeName(name))
  const rules: SecretRules = {
    isSecret: isHidden,
    isHarmless: (name, text) => isTokenName(name) && !further.has(normalizeName(name)) && !hasToken(text),
  }

  const target = (text: string): string =>
    hideShapes(text.includes('?') ? text.replaceAll(QUERY_PAIR, (pair, name: string) => toPair(pair, name)) : text)
  const toPair = (pair: string, name: string): string => (isHidden(decodeName(name), '') ? `${name}=${HIDDEN}` : pair)

  const header = (name: string, value: string): string => {
    if (name === 'sec-websocket-protocol') return value.replaceAll(/token\.[^\s,]+/g, `token.${HIDDEN}`)
    if (HIDDEN_HEADERS.has(name) || isHidden(name, ''))
      return `${/^(?:Bearer|Basic) /i.exec(value)?.[0] ?? ''}${HIDDEN}`
    return URL_HEADERS.has(name) ? target(value) : hideShapes(value)
  }

  const rangesIn = (text: string): SecretRange[] => mergeRanges(secretRanges(text, rules), shapeRanges(text))

  return {
    target,
    text: (text) => hideRanges(text, rangesIn(text)),
    chunks(pieces) {
      const ranges = rangesIn(pieces.join(''))
      return ranges.length === 0 ? pieces : hideInChunks(pieces, ranges)
    },
    headers(raw) {
      const headers: [string, string][] = []
      for (let at = 0; at + 1 < raw.length; at += 2) {
        const name = (raw[at] ?? '').toLowerCase()
        headers.push([name, header(name, raw[at + 1] ?? '')])
      }
      return headers
    },
  }
}

function hideShapes(text: string): string {
  return hideRanges(text, shapeRanges(text))
}

/** Merges both lists into a sorted one and joins overlapping ranges. */
function mergeRanges(named: SecretRange[], shaped: readonly SecretRange[]): SecretRange[] {
  if (shaped.length === 0) return named
  const all: SecretRange[] = []
  for (const range of [...named, ...shaped].toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last === undefined || range.from >= last.to) all.push(range)
    else all[all.length - 1] = { ...last, to: Math.max(last.to, range.to) }
  }
  return all
}

/**
 * Returns whether `token` is the only secret word in a name. Such a name can also refer to a language model's tokens.
 */
function isTokenName(name: string): boolean {
  return /token/i.test(name) && !isSecret(name.replaceAll(/token/gi, ''), '')
}

/**
 * Returns whether a value contains what looks like an access token, which is a single long word, either on its own or
 * inside an array or object.
 */
function hasToken(json: string): boolean {
  if (!/^[[{]/.test(json)) return json.length >= 16 && !/\s|\\[nrt]/.test(json)
  for (const { 0: word, index } of json.matchAll(/[^\s"\\,[\]{}]{16,}/g)) {
    const isName = /^\\*"\s*:/.test(json.slice(index + word.length, index + word.length + 32))
    if (!isName) return true
  }
  return false
}

/**
 * Headers that are always redacted. `x-sdk-pass` contains the dev server's secret, which lets callers act as any user.
 */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(['x-sdk-pass'])

const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer'])

/** Normalizes a name, so that `api-key`, `api_key` and `apiKey` are equal. */
function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // a malformed escape
  }
}

/**
 * Replaces secrets that may span several chunks. The placeholder is inserted in the chunk where the secret starts; the
 * rest of the secret is removed from the following chunks.
 */
function hideInChunks(pieces: readonly string[], ranges: readonly SecretRange[]): string[] {
  let start = 0
  let first = 0
  return pieces.map((piece) => {
    const end = start + piece.length
    const own: SecretRange[] = []
    while ((ranges[first]?.to ?? Infinity) <= start) first++
    for (let at = first; (ranges[at]?.from ?? Infinity) < end; at++) {
      const { from = 0, to = 0, mark = '' } = ranges[at] ?? {}
      own.push({ from: Math.max(from, start) - start, to: Math.min(to, end) - start, mark: from >= start ? mark : '' })
    }
    start = end
    return hideRanges(piece, own)
  })
}
