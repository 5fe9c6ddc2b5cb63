/** A part of a text from `from` up to `to`, which is not included, and the mark that replaces it. */
export interface SecretRange {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Decides which fields are hidden. */
export interface SecretRules {
  /** Is a field secret by its name? `value` only has the type of its value. */
  isSecret(name: string, value: unknown): boolean
  /** May a field with a secret name be shown, because its value does not look like a secret? */
  isHarmless(name: string, text: string): boolean
}

/** Replaces a secret. */
export const HIDDEN = '[redacted]'

/** Longer texts are not taken for the name of a field. */
const MAX_NAME = 128

/**
 * Finds the values of secret fields in a text with JSON in it: whole, in lines, in events, cut off, or as a string in
 * other JSON. It does not parse the text but looks at each `"name":`, so that text around the JSON does no harm.
 */
export function secretRanges(text: string, { isSecret, isHarmless }: SecretRules): SecretRange[] {
  const ranges: SecretRange[] = []
  /** Up to here, the text was found to be harmless. */
  let harmlessTo = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const field = nameBefore(text, colon)
    if (field === null) continue
    const at = skipWhitespace(text, colon + 1)
    const value = valueAt(text, at)
    if (value === null || !isSecret(field.name, value)) continue
    // A list inside of a harmless list is not searched again.
    if (at < harmlessTo && isHarmless(field.name, '')) continue
    const range = rangeOf(text, at, field.quote)
    // A value that is cut off may have been a secret, so it is never harmless.
    if (range.to < text.length && isHarmless(field.name, text.slice(range.from, range.to))) {
      harmlessTo = Math.max(harmlessTo, range.to)
      continue
    }
    ranges.push(range)
    colon = Math.max(colon, range.to - 1)
  }
  return ranges
}

/** The text with marks in place of the ranges. */
export function hideRanges(text: string, ranges: readonly SecretRange[]): string {
  let hidden = ''
  let end = 0
  for (const { from, to, mark } of ranges) {
    hidden += text.slice(end, from) + mark
    end = to
  }
  return hidden + text.slice(end)
}

/** The name before a colon, and its quote with its escapes: JSON inside of a string has its quotes escaped. */
function nameBefore(text: string, colon: number): { name: string; quote: string } | null {
  let end = colon - 1
  while (isSpace(text.charCodeAt(end))) end--
  if (text[end] !== '"' || end === 0) return null
  const start = text.lastIndexOf('"', end - 1)
  if (start === -1 || end - start > MAX_NAME) return null
  const slashes = slashesBefore(text, end, start + 1)
  return { name: unescaped(text.slice(start + 1, end - slashes)), quote: text.slice(end - slashes, end + 1) }
}

/** Unescapes a name as often as it was escaped: once for each string around it. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    const name = String(JSON.parse(`"${raw}"`))
    return name === raw ? name : unescaped(name)
  } catch {
    return raw // not JSON: the name is taken as it is
  }
}

/** A value of the same type as the one here; null where there is none, or nothing to hide. */
function valueAt(text: string, at: number): unknown {
  const first = text[at]
  if (first === '"' || first === '\\') return ''
  if (first === '{' || first === '[') return {}
  const word = wordAt(text, at)
  if (word === '' || word === 'null' || word === 'true' || word === 'false') return null
  return Number.isNaN(Number(word)) ? word : Number(word)
}

/** The range of a value: of a string, what is between its quotes; else all of it, and the mark is quoted. */
function rangeOf(text: string, at: number, quote: string): SecretRange {
  const first = text[at]
  if (first === '"' || first === '\\') {
    const depth = quoteAt(text, at)
    return { from: at + depth, to: endOfText(text, at + depth, Math.max(1, depth)), mark: HIDDEN }
  }
  const to = first === '{' || first === '[' ? endOfList(text, at) : at + wordAt(text, at).length
  return { from: at, to, mark: `${quote}${HIDDEN}${quote}` }
}

/** The length of the quote here, with its backslashes; 0 where there is none. */
function quoteAt(text: string, from: number): number {
  let at = from
  while (text[at] === '\\') at++
  return text[at] === '"' ? at + 1 - from : 0
}

function wordAt(text: string, at: number): string {
  return /^[-+.\w]*/.exec(text.slice(at, at + MAX_NAME))?.[0] ?? ''
}

/**
 * Where a string ends: before its closing quote, or where it is cut off. `depth` is the length of its quotes with their
 * backslashes: 1 where they are not escaped, and double for each string around it. A quote inside of the string has
 * `depth` more backslashes.
 */
function endOfText(text: string, from: number, depth: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    const slashes = slashesBefore(text, at, from)
    if (slashes % (2 * depth) < depth) return at - Math.min(slashes, depth - 1)
  }
  return text.length
}

function endOfList(text: string, from: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfQuoted(text, at, from)
    else if (char === '{' || char === '[') open++
    else if ((char === '}' || char === ']') && --open === 0) return at + 1
  }
  return text.length
}

/** The closing quote of the string whose first quote is at `at`. */
function endOfQuoted(text: string, at: number, from: number): number {
  const depth = slashesBefore(text, at, from) + 1
  return endOfText(text, at + 1, depth) + depth - 1
}

function slashesBefore(text: string, end: number, from: number): number {
  let at = end
  while (at > from && text[at - 1] === '\\') at--
  return end - at
}

function skipWhitespace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13
}
