import { NULL, type Json, type JsonMember } from './json-tree.ts'

/** A syntax error in JSON text, with its position. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
  /** The offset in the text. */
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** The range of each value in the text. */
export type JsonRanges = Map<Json, readonly [from: number, to: number]>

/** Parses JSON losslessly, or throws a `JsonSyntaxError`. */
export function parseJsonTree(text: string, ranges?: JsonRanges): Json {
  const reader: JsonReader = { text, at: 0, ranges }
  const json = readTree(reader, 0)
  skipJsonSpace(reader)
  if (reader.at < text.length) throw expected(reader, 'the end')
  return json
}

/** Parses JSON, or returns undefined if the text is not valid JSON. */
export function tryParseJsonTree(text: string): Json | undefined {
  try {
    return parseJsonTree(text)
  } catch {
    return undefined
  }
}

/** Returns whether a string is a JSON number. */
export function isJsonNumber(text: string): boolean {
  return text !== '' && numberTokenAt(text, 0) === text
}

interface JsonReader {
  readonly text: string
  at: number
  readonly ranges: JsonRanges | undefined
}

/** The maximum nesting depth. Parsing is recursive, so deeper values could overflow the call stack. */
const MAX_NESTING = 500

function readTree(reader: JsonReader, depth: number): Json {
  if (depth > MAX_NESTING) throw new JsonSyntaxError(`nested more than ${MAX_NESTING} levels deep`, reader.at)
  skipJsonSpace(reader)
  const from = reader.at
  const json = readAny(reader, depth)
  reader.ranges?.set(json, [from, reader.at])
  return json
}

function readAny(reader: JsonReader, depth: number): Json {
  const sign = reader.text[reader.at]
  if (sign === '{') return { kind: 'object', members: readList(reader, '}', () => readMember(reader, depth + 1)) }
  if (sign === '[') return { kind: 'array', items: readList(reader, ']', () => readTree(reader, depth + 1)) }
  if (sign === '"') return { kind: 'string', value: readString(reader) }
  for (const [word, json] of Object.entries(JSON_KEYWORDS)) {
    if (!reader.text.startsWith(word, reader.at)) continue
    reader.at += word.length
    return { ...json }
  }
  const text = numberTokenAt(reader.text, reader.at)
  if (text === '') throw expected(reader, 'a value')
  reader.at += text.length
  return { kind: 'number', text }
}

const JSON_KEYWORDS: Readonly<Record<string, Json>> = {
  null: NULL,
  true: { kind: 'boolean', value: true },
  false: { kind: 'boolean', value: false },
}

/** Returns the number that starts at a position, or an empty string if there is none. */
function numberTokenAt(text: string, at: number): string {
  const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function readMember(reader: JsonReader, depth: number): JsonMember {
  skipJsonSpace(reader)
  if (reader.text[reader.at] !== '"') throw expected(reader, 'a name in double quotes')
  const name = readString(reader)
  skipJsonSpace(reader)
  if (reader.text[reader.at] !== ':') throw expected(reader, 'a colon')
  reader.at++
  return { name, value: readTree(reader, depth) }
}

function readList<T>(reader: JsonReader, end: ']' | '}', readOne: () => T): T[] {
  reader.at++
  const list: T[] = []
  skipJsonSpace(reader)
  if (reader.text[reader.at] === end) {
    reader.at++
    return list
  }
  for (;;) {
    list.push(readOne())
    skipJsonSpace(reader)
    const sign = reader.text[reader.at]
    if (sign !== ',' && sign !== end) throw expected(reader, `a comma or ${end}`)
    reader.at++
    if (sign === end) return list
  }
}

function readString(reader: JsonReader): string {
  // Control characters must be escaped; `JSON.parse` handles all escapes.
  // oxlint-disable-next-line no-control-regex -- matches the characters that are not allowed
  const pattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
  pattern.lastIndex = reader.at
  const raw = pattern.exec(reader.text)?.[0]
  if (raw === undefined)
    throw new JsonSyntaxError('unterminated string, or a character that must be escaped', reader.at)
  reader.at += raw.length
  return JSON.parse(raw) as string
}

function skipJsonSpace(reader: JsonReader): void {
  while (' \t\n\r'.includes(reader.text[reader.at] ?? 'the end')) reader.at++
}

function expected({ text, at }: JsonReader, what: string): JsonSyntaxError {
  const found = at >= text.length ? 'the end' : JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))
  return new JsonSyntaxError(`expected ${what}, found ${found}`, at)
}

/** Serializes JSON with two spaces per level, or on one line if `indent` is empty. */
export function printJson(json: Json, indent = '  ', margin = '\n'): string {
  if (json.kind === 'null') return 'null'
  if (json.kind === 'number') return json.text
  if (json.kind === 'string' || json.kind === 'boolean') return JSON.stringify(json.value)
  const inner = indent === '' ? '' : margin + indent
  const parts =
    json.kind === 'array'
      ? json.items.map((item) => printJson(item, indent, inner))
      : json.members.map(
          ({ name, value }) => `${JSON.stringify(name)}:${indent && ' '}${printJson(value, indent, inner)}`,
        )
  const [open, close] = json.kind === 'array' ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  return `${open}${inner}${parts.join(`,${inner}`)}${indent === '' ? '' : margin}${close}`
}
