import { isSecret } from '@sdk/server/node'
import type { RunHeaders } from '../run.ts'
import { HIDDEN, hideRanges, secretRanges, type SecretRange, type SecretRules } from './secret-ranges.ts'
import { shapeRanges } from './secret-shapes.ts'

/** Hides secrets: by the names of their headers and fields, and by what they look like. */
export interface Redactor {
  text(text: string): string
  /** The same for a text in pieces: a secret may be spread over several. */
  chunks(pieces: readonly string[]): readonly string[]
  /** Redacts headers, which are names and values in turn. */
  headers(raw: readonly string[]): RunHeaders
  target(target: string): string
}

/** A name and its value in a query. The lookbehind keeps it fast: without it, 16 kB would take a second. */
const QUERY_PAIR = /(?<=^|[?&#])([^?&=#]+)=[^&#]*/g

/** A redactor for the names that logs redact, and for further ones. */
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

/** Merges both, sorted; ranges that overlap become one. */
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

/** Is `token` the only secret word in the name? Language models also call the parts of their answers tokens. */
function isTokenName(name: string): boolean {
  return /token/i.test(name) && !isSecret(name.replaceAll(/token/gi, ''), '')
}

/** Does it hold an access token: one long word, by itself or inside of a list or an object? */
function hasToken(json: string): boolean {
  if (!/^[[{]/.test(json)) return json.length >= 16 && !/\s|\\[nrt]/.test(json)
  for (const { 0: word, index } of json.matchAll(/[^\s"\\,[\]{}]{16,}/g)) {
    const isName = /^\\*"\s*:/.test(json.slice(index + word.length, index + word.length + 32))
    if (!isName) return true
  }
  return false
}

/** The pass of the dev server, which lets a call act as any user. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(['x-sdk-pass'])

const URL_HEADERS: ReadonlySet<string> = new Set(['location', 'content-location', 'referer'])

/** `api-key`, `api_key` and `apiKey` are one name. */
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

/** Puts the mark into the piece where the secret begins, and removes the secret from the others. */
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
