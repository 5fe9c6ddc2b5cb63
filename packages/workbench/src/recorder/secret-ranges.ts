/** A range in a string from `from` (inclusive) to `to` (exclusive), and the placeholder that replaces it. */
export interface SecretRange {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Rules that decide which fields are redacted. */
export interface SecretRules {
  /** Returns whether a field's name marks it as secret. `value` is a sample with the type of the field's value. */
  isSecret(name: string, value: unknown): boolean
  /** Returns whether a field with a secret name may be shown because its value does not look like a secret. */
  isHarmless(name: string, text: string): boolean
}

/** The placeholder that replaces a secret. */
export const HIDDEN = '[redacted]'

/** The maximum length of a field name. */
const MAX_NAME = 128

/**
 * Finds the values of secret fields in text that contains JSON: a complete document, NDJSON, server-sent events,
 * truncated JSON, or JSON inside a JSON string. It does not parse the text but checks each `"name":`, so any other text
 * around the JSON is ignored.
 */
export function secretRanges(text: string, { isSecret, isHarmless }: SecretRules): SecretRange[] {
  const ranges: SecretRange[] = []
  /** The end of the last value that was found to be harmless. */
  let harmlessTo = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const field = nameBefore(text, colon)
    if (field === null) continue
    const at = skipWhitespace(text, colon + 1)
    const value = valueAt(text, at)
    if (value === null || !isSecret(field.name, value)) continue
    // An array or object inside a harmless value does not have to be searched again.
    if (at < harmlessTo && isHarmless(field.name, '')) continue
    const range = rangeOf(text, at, field.quote)
    // A truncated value may be a secret, so it is never considered harmless.
    if (range.to < text.length && isHarmless(field.name, text.slice(range.from, range.to))) {
      harmlessTo = Math.max(harmlessTo, range.to)
      continue
    }
    ranges.push(range)
    colon = Math.max(colon, range.to - 1)
  }
  return ranges
}

/** Replaces ranges in a string with their placeholders. */
export function hideRanges(text: string, ranges: readonly SecretRange[]): string {
  let hidden = ''
  let end = 0
  for (const { from, to, mark } of ranges) {
    hidden += text.slice(end, from) + mark
    end = to
  }
  return hidden + text.slice(end)
}

/** Returns the name before a colon, and its quote, which includes backslashes if the JSON is inside a string. */
function nameBefore(text: string, colon: number): { name: string; quote: string } | null {
  let end = colon - 1
  while (isSpace(text.charCodeAt(end))) end--
  if (text[end] !== '"' || end === 0) return null
  const start = text.lastIndexOf('"', end - 1)
  if (start === -1 || end - start > MAX_NAME) return null
  const slashes = slashesBefore(text, end, start + 1)
  return { name: unescaped(text.slice(start + 1, end - slashes)), quote: text.slice(end - slashes, end + 1) }
}

/** Unescapes a name once for each JSON string that it is nested in. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    const name = String(JSON.parse(`"${raw}"`))
    return name === raw ? name : unescaped(name)
  } catch {
    return raw // not JSON: use the name as is
  }
}

/** Returns a sample with the same type as the value at a position, or null if there is nothing to redact. */
function valueAt(text: string, at: number): unknown {
  const first = text[at]
  if (first === '"' || first === '\\') return ''
  if (first === '{' || first === '[') return {}
  const word = wordAt(text, at)
  if (word === '' || word === 'null' || word === 'true' || word === 'false') return null
  return Number.isNaN(Number(word)) ? word : Number(word)
}

/**
 * Returns the range to redact: the text between a string's quotes, or any other value in full, with a quoted
 * placeholder.
 */
function rangeOf(text: string, at: number, quote: string): SecretRange {
  const first = text[at]
  if (first === '"' || first === '\\') {
    const depth = quoteAt(text, at)
    return { from: at + depth, to: endOfText(text, at + depth, Math.max(1, depth)), mark: HIDDEN }
  }
  const to = first === '{' || first === '[' ? endOfList(text, at) : at + wordAt(text, at).length
  return { from: at, to, mark: `${quote}${HIDDEN}${quote}` }
}

/** Returns the length of the quote at a position, including its backslashes, or 0 if there is none. */
function quoteAt(text: string, from: number): number {
  let at = from
  while (text[at] === '\\') at++
  return text[at] === '"' ? at + 1 - from : 0
}

function wordAt(text: string, at: number): string {
  return /^[-+.\w]*/.exec(text.slice(at, at + MAX_NAME))?.[0] ?? ''
}

/**
 * Returns the end of a string: its closing quote, or the end of the text. `depth` is the length of the string's quotes
 * including backslashes: 1 if they are not escaped, and doubled for each enclosing string. A quote inside the string
 * has `depth` more backslashes than the string's own quotes.
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

/** Returns the position of a string's closing quote. The opening quote is at `at`. */
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
