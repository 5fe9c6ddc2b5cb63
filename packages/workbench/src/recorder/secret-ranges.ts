/** A part of a text, up to but not with `to`, and what stands in its place. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** Says which fields are hidden. */
export interface SecretRules {
  /** By its name, and by something of the kind that its value is. */
  isSecret(name: string, value: unknown): boolean
  /** May a field that is secret by its name be shown, since its value looks like none? */
  isHarmless(name: string, text: string): boolean
}

/** What stands for a secret. */
export const HIDDEN = '[redacted]'

/** Longer names are no names of fields. */
const MAX_NAME = 128

/**
 * Where the values of secret fields are in a text that has JSON in it: whole, in lines, in events, cut off, or quoted
 * inside of other JSON. It looks at each `"name":`, wherever it is, so that text which is no JSON cannot lead it astray.
 */
export function secretRanges(text: string, { isSecret, isHarmless }: SecretRules): Range[] {
  const ranges: Range[] = []
  /** Up to here, nothing looks like a secret. */
  let harmlessTo = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    const field = nameBefore(text, colon)
    if (field === null) continue
    const at = skipSpace(text, colon + 1)
    const value = valueAt(text, at)
    if (value === null || !isSecret(field.name, value)) continue
    // Not looked through again for each list in a list.
    if (at < harmlessTo && isHarmless(field.name, '')) continue
    const range = rangeOf(text, at, field.quote)
    // What is cut off may have been a secret.
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
export function hideRanges(text: string, ranges: readonly Range[]): string {
  let hidden = ''
  let end = 0
  for (const { from, to, mark } of ranges) {
    hidden += text.slice(end, from) + mark
    end = to
  }
  return hidden + text.slice(end)
}

/** A name, and a quote as it is written there: JSON inside of a text has its quotes escaped. */
function nameBefore(text: string, colon: number): { name: string; quote: string } | null {
  let end = colon - 1
  while (isSpace(text.charCodeAt(end))) end--
  if (text[end] !== '"' || end === 0) return null
  const start = text.lastIndexOf('"', end - 1)
  if (start === -1 || end - start > MAX_NAME) return null
  const slashes = slashesBefore(text, end, start + 1)
  return { name: unescaped(text.slice(start + 1, end - slashes)), quote: text.slice(end - slashes, end + 1) }
}

/** As often as it was escaped: each text around it did so once. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    const name = String(JSON.parse(`"${raw}"`))
    return name === raw ? name : unescaped(name)
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
function rangeOf(text: string, at: number, quote: string): Range {
  const first = text[at]
  if (first === '"' || first === '\\') {
    const depth = quoteAt(text, at)
    return { from: at + depth, to: endOfText(text, at + depth, Math.max(1, depth)), mark: HIDDEN }
  }
  const to = first === '{' || first === '[' ? endOfList(text, at) : at + wordAt(text, at).length
  return { from: at, to, mark: `${quote}${HIDDEN}${quote}` }
}

/** The length of the quote here, with what escapes it; 0 where there is none. */
function quoteAt(text: string, from: number): number {
  let at = from
  while (text[at] === '\\') at++
  return text[at] === '"' ? at + 1 - from : 0
}

function wordAt(text: string, at: number): string {
  return /^[-+.\w]*/.exec(text.slice(at, at + MAX_NAME))?.[0] ?? ''
}

/**
 * Where a text ends: before its quote, or where it is cut off. `depth` is the length of its quotes, 1 where they are not
 * escaped: with each text around it that doubles, and a quote that is part of the text has as many slashes more.
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

/** The last quote of a text whose first one is at `at`. */
function endOfQuoted(text: string, at: number, from: number): number {
  const depth = slashesBefore(text, at, from) + 1
  return endOfText(text, at + 1, depth) + depth - 1
}

function slashesBefore(text: string, end: number, from: number): number {
  let at = end
  while (at > from && text[at - 1] === '\\') at--
  return end - at
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13
}
