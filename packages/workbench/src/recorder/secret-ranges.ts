/** A part of a text, up to but not with `to`, and what stands in its place. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Says of a field whether its value is hidden. */
export type IsSecret = (name: string, value: unknown) => boolean

/** What stands for a secret. */
export const HIDDEN = '[redacted]'

/** Longer names are no names of fields. */
const MAX_NAME = 128

/**
 * Where the values of secret fields are in a text that has JSON in it: whole, in lines, in events, cut off, or quoted
 * inside of other JSON. It looks at each `"name":`, wherever it is, so that text which is no JSON cannot lead it astray.
 */
export function secretRanges(text: string, isSecret: IsSecret): Range[] {
  const ranges: Range[] = []
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const name = nameBefore(text, colon)
    if (name === null) continue
    const at = skipSpace(text, colon + 1)
    const value = valueAt(text, at)
    if (value === null || !isSecret(name, value)) continue
    const range = rangeOf(text, at)
    ranges.push(range)
    colon = Math.max(colon, range.to - 1)
  }
  return ranges
}

/** The text with marks in place of the ranges. */
export function hideRanges(text: string, ranges: readonly Range[]): string {
  let hidden = ''
  let end = 0
  for (const { from, to, mark } of ranges) {
    hidden += text.slice(end, from) + mark
    end = to
  }
  return hidden + text.slice(end)
}

function nameBefore(text: string, colon: number): string | null {
  let end = colon - 1
  while (isSpace(text.charCodeAt(end))) end--
  if (text[end] !== '"' || end === 0) return null
  const start = text.lastIndexOf('"', end - 1)
  if (start === -1 || end - start > MAX_NAME) return null
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  return unescaped(raw.endsWith('\\') ? raw.slice(0, -1) : raw)
}

function unescaped(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw // no JSON: its name is what it looks like
  }
}

/** Something of the kind that the value is; null where there is none, or nothing to hide. */
function valueAt(text: string, at: number): unknown {
  const first = text[at]
  if (first === '"' || first === '\\') return ''
  if (first === '{' || first === '[') return {}
  const word = wordAt(text, at)
  if (word === '' || word === 'null' || word === 'true' || word === 'false') return null
  return Number.isNaN(Number(word)) ? word : Number(word)
}

/** Of a text, what is between its quotes; of anything else the whole, for which a text stands then. */
function rangeOf(text: string, at: number): Range {
  const first = text[at]
  if (first === '"') return { from: at + 1, to: endOfText(text, at + 1), mark: HIDDEN }
  // JSON inside of a text: its quotes are escaped.
  if (first === '\\') return { from: at + 2, to: endOfQuoted(text, at + 2), mark: HIDDEN }
  const to = first === '{' || first === '[' ? endOfList(text, at) : at + wordAt(text, at).length
  return { from: at, to, mark: `"${HIDDEN}"` }
}

function wordAt(text: string, at: number): string {
  return /^[-+.\w]*/.exec(text.slice(at, at + MAX_NAME))?.[0] ?? ''
}

/** Where a text ends: at its quote, or where it is cut off. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') return at
    if (char === '\\') at++
  }
  return text.length
}

function endOfQuoted(text: string, from: number): number {
  const end = text.indexOf('\\"', from)
  return end === -1 ? text.length : end
}

function endOfList(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfText(text, at + 1)
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return text.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13
}
