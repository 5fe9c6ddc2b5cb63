/**
 * A lossless JSON value: numbers keep their digits, and objects keep their order and duplicate names. Names are stored
 * in arrays and never as properties of an object, so that `__proto__` is a regular name.
 */
export type Json =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly Json[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }

export type JsonArray = Extract<Json, { kind: 'array' }>
export type JsonObject = Extract<Json, { kind: 'object' }>

/** A name and value in an object. */
export interface JsonMember {
  readonly name: string
  readonly value: Json
}

/** The null value. */
export const NULL: Json = { kind: 'null' }

/** Creates a JSON string. */
export function jsonText(value: string): Json {
  return { kind: 'string', value }
}

/** Converts a JavaScript value to a tree. Values that JSON cannot represent become null. */
export function fromJsValue(value: unknown): Json {
  if (typeof value === 'string') return jsonText(value)
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (typeof value === 'number') return { kind: 'number', text: Object.is(value, -0) ? '-0' : JSON.stringify(value) }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(fromJsValue) }
  if (typeof value !== 'object' || value === null) return NULL
  return {
    kind: 'object',
    members: Object.entries(value).map(([name, inner]) => ({ name, value: fromJsValue(inner) })),
  }
}

/** Converts a tree to a JavaScript value. Objects have no prototype, so all names are safe. The last duplicate wins. */
export function toJsValue(json: Json): unknown {
  if (json.kind === 'null') return null
  if (json.kind === 'number') return Number(json.text)
  if (json.kind === 'array') return json.items.map(toJsValue)
  if (json.kind !== 'object') return json.value
  const plain = Object.create(null) as Record<string, unknown>
  for (const { name, value } of json.members) plain[name] = toJsValue(value)
  return plain
}

/** Returns whether two values are equal. The order of members is ignored, and `1.0` equals `1`. */
export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (a.kind === 'array' && b.kind === 'array')
    return a.items.length === b.items.length && a.items.every((item, index) => isSameJson(item, b.items[index] ?? NULL))
  if (a.kind === 'object' && b.kind === 'object') return hasSameMembers(a, b)
  if (a.kind === 'number' && b.kind === 'number') return a.text === b.text || isSameNumber(a.text, b.text)
  if (a.kind === 'null') return b.kind === 'null'
  return 'value' in a && 'value' in b && a.value === b.value
}

function hasSameMembers(a: JsonObject, b: JsonObject): boolean {
  return (
    a.members.length === b.members.length &&
    a.members.every(({ name, value }) => {
      const other = lastMember(b, name)
      return other !== undefined && isSameJson(value, other)
    })
  )
}

/**
 * Returns whether two numbers are equal: `1.0` equals `1`, but long numbers that merely round to the same value differ.
 */
function isSameNumber(a: string, b: string): boolean {
  return Number(a) === Number(b) && isExactNumber(a) && isExactNumber(b)
}

/** Returns whether a JavaScript number can represent a number exactly. */
export function isExactNumber(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(text)
}

/** Normalizes a number to an exponent and its digits, without leading or trailing zeros. */
function digitsOf(text: string): string {
  const [, whole = '', part = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = (whole + part).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  return short === '' ? '0' : `${short}e${Number(exponent) - part.length + digits.length - short.length}`
}

/** Returns the value of a member. If there are duplicates, the last one wins, as in JSON parsers. */
export function lastMember(json: Json | undefined, name: string): Json | undefined {
  return json?.kind === 'object' ? json.members.findLast((member) => member.name === name)?.value : undefined
}
