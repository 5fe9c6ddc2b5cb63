/**
 * A JSON value that loses nothing of its text: numbers keep their digits, objects their order and their doubled names.
 * As no name is ever a property of an object of ours, `__proto__` is a name like any other.
 */
export type Json =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | JsonArray
  | JsonObject

/** A list of values. */
export interface JsonArray {
  readonly kind: 'array'
  readonly items: readonly Json[]
}

/** Names and values, in their order. */
export interface JsonObject {
  readonly kind: 'object'
  readonly members: readonly JsonMember[]
}

/** One of an object's names with its value. */
export interface JsonMember {
  readonly name: string
  readonly value: Json
}

/** The only null. */
export const NULL: Json = { kind: 'null' }

/** A text as JSON. */
export function jsonText(value: string): Json {
  return { kind: 'string', value }
}

/** What JavaScript holds, as a tree; what JSON has no word for is null. */
export function fromPlain(value: unknown): Json {
  if (typeof value === 'string') return jsonText(value)
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (typeof value === 'number') return { kind: 'number', text: Object.is(value, -0) ? '-0' : JSON.stringify(value) }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(fromPlain) }
  if (typeof value !== 'object' || value === null) return NULL
  return {
    kind: 'object',
    members: Object.entries(value).map(([name, inner]) => ({ name, value: fromPlain(inner) })),
  }
}

/** A tree as JavaScript holds it. Objects have no prototype, so that every name is safe; of a doubled one the last wins. */
export function toPlain(json: Json): unknown {
  if (json.kind === 'null') return null
  if (json.kind === 'number') return Number(json.text)
  if (json.kind === 'array') return json.items.map(toPlain)
  if (json.kind !== 'object') return json.value
  const plain = Object.create(null) as Record<string, unknown>
  for (const { name, value } of json.members) plain[name] = toPlain(value)
  return plain
}

/** Are these the same value? Members may stand in another order; numbers are the same where their digits mean the same. */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true
  if (a.kind === 'array' && b.kind === 'array')
    return a.items.length === b.items.length && a.items.every((item, index) => isSame(item, b.items[index] ?? NULL))
  if (a.kind === 'object' && b.kind === 'object') return hasSameMembers(a, b)
  if (a.kind === 'number' && b.kind === 'number') return a.text === b.text || isSameNumber(a.text, b.text)
  if (a.kind === 'null') return b.kind === 'null'
  return 'value' in a && 'value' in b && a.value === b.value
}

function hasSameMembers(a: JsonObject, b: JsonObject): boolean {
  return (
    a.members.length === b.members.length &&
    a.members.every(({ name, value }) => {
      const other = memberOf(b, name)
      return other !== undefined && isSame(value, other)
    })
  )
}

/** `1.0` and `1` are the same, but two numbers that only look the same to JavaScript are not. */
function isSameNumber(a: string, b: string): boolean {
  return Number(a) === Number(b) && isHeld(a) && isHeld(b)
}

/** Can JavaScript hold this number as it is written? */
export function isHeld(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  return digitsOf(String(value)) === digitsOf(text)
}

/** What a number consists of, in one way of writing: its digits without zeros around, and where the point is. */
function digitsOf(text: string): string {
  const [, whole = '', part = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = (whole + part).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  return short === '' ? '0' : `${short}e${Number(exponent) - part.length + digits.length - short.length}`
}

/** The value of a name; the last one where it is doubled, as every reader of JSON has it. */
export function memberOf(json: Json | undefined, name: string): Json | undefined {
  return json?.kind === 'object' ? json.members.findLast((member) => member.name === name)?.value : undefined
}
