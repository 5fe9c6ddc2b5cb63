import { fromJsValue, jsonText, lastMember, NULL, type Json, type JsonMember } from './json-tree.ts'
import { fits } from './fit.ts'
import type { Shape } from './shape.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * The kind of sample. `blank` has empty fields and is used for members added to a form. `first` is a form's initial
 * value, which can be sent as is. `minimal` has only required members, and `full` also has all optional members.
 */
export type SampleMode = 'blank' | 'first' | 'minimal' | 'full'

/** The shapes that contain the sampled shape. Empty at the root. */
type Ancestors = readonly Shape[]

/** Returns a sample value for a shape, or undefined if that is not possible. Defaults take precedence over examples. */
export function sampleOf(shape: Shape, mode: SampleMode, around: Ancestors = []): Json | undefined {
  // A form starts with an object's example, and with the defaults of members that are not in the example.
  const isMerged = mode === 'first' && shape.kind === 'object'
  const given = shape.defaultValue ?? (mode === 'blank' || isMerged ? undefined : shape.examples[0])
  if (given !== undefined) return given
  if (shape.kind === 'any') return around.length === 0 ? { kind: 'object', members: [] } : NULL
  if (shape.kind === 'string') return jsonText(mode === 'blank' ? '' : sampleText(shape.schema))
  if (shape.kind === 'number') return sampleNumber(shape.schema)
  if (shape.kind === 'boolean') return { kind: 'boolean', value: false }
  if (shape.kind === 'null') return NULL
  if (shape.kind === 'const') return shape.value
  if (shape.kind === 'choice') return shape.options[0]
  if (shape.kind !== 'nullable') return sampleInside(shape, mode, around)
  return (mode === 'full' ? sampleOf(shape.inner(), mode, around) : undefined) ?? NULL
}

/** Creates a sample for a nested shape. A recursive schema is sampled once in full and once minimally. */
function sampleInside(shape: Shape, mode: SampleMode, around: Ancestors): Json | undefined {
  const times = around.filter((each) => each === shape).length
  if (times > (mode === 'full' ? 1 : 0) || around.length > MAX_SAMPLE_DEPTH) return undefined
  const inner = mode === 'full' && times > 0 ? 'minimal' : mode
  const inside = [...around, shape]
  if (shape.kind === 'array') return sampleArray(shape, inner, inside)
  if (shape.kind === 'object') return sampleObject(shape, inner, inside)
  if (shape.kind !== 'union') return undefined
  for (const branch of shape.branches) {
    const made = sampleOf(branch.shape(), inner, inside)
    if (made !== undefined) return made
  }
  return undefined
}

const MAX_SAMPLE_DEPTH = 40

function sampleArray(shape: Extract<Shape, { kind: 'array' }>, mode: SampleMode, inside: Ancestors): Json | undefined {
  const least = Math.min(Number(shape.schema['minItems'] ?? 0), MAX_ITEMS)
  const wanted = Math.max(least, shape.prefix.length, mode === 'full' && shape.rest !== null ? 1 : 0)
  const items: Json[] = []
  for (let index = 0; index < wanted; index++) {
    const inner = shape.prefix[index] ?? shape.rest
    const made = inner === null ? undefined : sampleOf(inner(), mode, inside)
    if (made === undefined) break
    items.push(made)
  }
  return items.length < least && inside.length > 1 ? undefined : { kind: 'array', items }
}

const MAX_ITEMS = 20

function sampleObject(
  shape: Extract<Shape, { kind: 'object' }>,
  mode: SampleMode,
  inside: Ancestors,
): Json | undefined {
  const { properties, rest, examples } = shape
  const example = mode === 'first' ? examples[0] : undefined
  const members: JsonMember[] = []
  for (const { name, isRequired, shape: inner } of properties) {
    const isWanted = isRequired || mode === 'full' || (mode !== 'minimal' && inner().defaultValue !== undefined)
    const value = lastMember(example, name) ?? (isWanted ? sampleOf(inner(), mode, inside) : undefined)
    if (value !== undefined) members.push({ name, value })
    // An object without a required member is invalid, so the sample omits the object.
    else if (isRequired && inside.length > 1) return undefined
  }
  const more =
    mode === 'full' && typeof rest === 'function' && members.length === 0 ? sampleOf(rest(), mode, inside) : undefined
  return { kind: 'object', members: more === undefined ? members : [...members, { name: 'key', value: more }] }
}

/**
 * Adapts a value to a different shape. Members that only the old shape has are removed. If the value does not fit, a
 * blank value is returned.
 */
export function adapt(shape: Shape, json: Json, old: Shape | undefined): Json {
  const blank = sampleOf(shape, 'blank') ?? NULL
  if (shape.kind !== 'object') return fits(shape, json) && shape.kind !== 'any' ? json : blank
  if (json.kind !== 'object' || blank.kind !== 'object') return blank
  const keeps = (name: string, value: Json): boolean => {
    const property = shape.properties.find((each) => each.name === name)
    if (property !== undefined) return fits(property.shape(), value)
    return shape.rest !== 'closed' && !(old?.kind === 'object' && old.properties.some((each) => each.name === name))
  }
  const kept = json.members.filter(({ name, value }) => keeps(name, value))
  const fresh = blank.members.filter(({ name }) => !kept.some((member) => member.name === name))
  return { kind: 'object', members: [...fresh, ...kept] }
}

/** Returns the initial value for an added member. */
export function firstValue(shape: Shape): Json {
  return sampleOf(shape, 'blank', [INSIDE]) ?? (shape.kind === 'object' ? fromJsValue({}) : NULL)
}

const INSIDE: Shape = { kind: 'any', examples: [], schema: {} }

const BY_FORMAT: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  uri: 'https://example.com',
  url: 'https://example.com',
  uuid: '3f2b8c1e-6f1d-4c0a-9b7e-2d5a1f0c8e44',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00',
  duration: 'PT1H',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  hostname: 'example.com',
}

/** Returns a string that matches a schema's format and length. */
function sampleText({ format, minLength, maxLength }: JsonSchema): string {
  const base = BY_FORMAT[String(format)] ?? 'text'
  const least = Math.min(Number(minLength ?? 0), 1000)
  const long = base.padEnd(least, ' text')
  return maxLength === undefined ? long : long.slice(0, Number(maxLength))
}

function sampleNumber(schema: JsonSchema): Json {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, type } = schema
  const step = Number(multipleOf ?? 1)
  const least = Math.max(Number(minimum ?? -Infinity), Number(exclusiveMinimum ?? -Infinity))
  const most = Math.min(Number(maximum ?? Infinity), Number(exclusiveMaximum ?? Infinity))
  const low = Math.ceil(least / step) * step
  const high = Math.floor(most / step) * step
  // A narrow range might not contain an integer.
  const middle = type === 'integer' ? Number.NaN : (least + most) / 2
  const isIn = (value: number): boolean =>
    value >= least && value <= most && value !== exclusiveMinimum && value !== exclusiveMaximum
  const value = [0, low, low + step, high, high - step, middle].find((each) => Number.isFinite(each) && isIn(each))
  return { kind: 'number', text: JSON.stringify(value ?? 0) }
}
