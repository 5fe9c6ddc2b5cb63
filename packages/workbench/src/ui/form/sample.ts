import { fromPlain, jsonText, NULL, type Json, type JsonMember } from './json-tree.ts'
import { fits } from './fit.ts'
import type { ObjectShape, Shape } from './shape.ts'
import { sampleNumber, sampleText } from './sample-scalar.ts'

/** `blank`: what a form begins with; `minimal`: the least that could be sent; `full`: with everything optional. */
export type SampleMode = 'blank' | 'minimal' | 'full'

/** A schema that contains itself is told so many levels deep. */
const MAX_DEPTH = { blank: 8, minimal: 8, full: 4 } as const

/** A value of a shape; undefined where none can be made. Defaults come first, then what the schema has as examples. */
export function sampleOf(shape: Shape, mode: SampleMode, depth = 0): Json | undefined {
  const given = shape.defaultValue ?? (mode === 'blank' ? undefined : shape.examples[0])
  if (given !== undefined) return given
  switch (shape.kind) {
    case 'any':
      return depth === 0 ? { kind: 'object', members: [] } : NULL
    case 'string':
      return jsonText(mode === 'blank' ? '' : sampleText(shape.schema))
    case 'number':
      return sampleNumber(shape.schema)
    case 'boolean':
      return { kind: 'boolean', value: false }
    case 'null':
      return NULL
    case 'const':
      return shape.value
    case 'choice':
      return shape.options[0]
    case 'nullable':
      return mode === 'full' ? sampleOf(shape.inner(), mode, depth) : NULL
    case 'union':
      return firstSample(
        shape.branches.map(({ shape: branch }) => branch),
        mode,
        depth,
      )
    case 'array':
      return sampleArray(shape, mode, depth)
    case 'object':
      return sampleObject(shape, mode, depth)
    case 'never':
      break
  }
  return undefined
}

function firstSample(shapes: readonly (() => Shape)[], mode: SampleMode, depth: number): Json | undefined {
  for (const shape of shapes) {
    const made = sampleOf(shape(), mode, depth)
    if (made !== undefined) return made
  }
  return undefined
}

function sampleArray(shape: Extract<Shape, { kind: 'array' }>, mode: SampleMode, depth: number): Json | undefined {
  const least = Number(shape.schema['minItems'] ?? 0)
  const wanted = Math.max(Math.min(least, 20), shape.prefix.length, mode === 'full' && shape.rest !== null ? 1 : 0)
  const items: Json[] = []
  for (let index = 0; index < wanted && depth < MAX_DEPTH[mode]; index++) {
    const inner = shape.prefix[index] ?? shape.rest
    const made = inner === null ? undefined : sampleOf(inner(), mode, depth + 1)
    if (made === undefined) break
    items.push(made)
  }
  return items.length < least && depth > 0 ? undefined : { kind: 'array', items }
}

function sampleObject({ properties, rest }: ObjectShape, mode: SampleMode, depth: number): Json | undefined {
  const members: JsonMember[] = []
  for (const { name, isRequired, shape } of properties) {
    const isWanted = isRequired || mode === 'full' || (mode === 'blank' && shape().defaultValue !== undefined)
    if (!isWanted) continue
    const value = depth >= MAX_DEPTH[mode] ? undefined : sampleOf(shape(), mode, depth + 1)
    if (value !== undefined) members.push({ name, value })
    // An object that cannot be whole is no sample of itself: who wants it leaves it out.
    else if (isRequired && depth > 0) return undefined
  }
  if (mode === 'full' && typeof rest === 'function' && properties.length === 0 && depth < MAX_DEPTH.full) {
    const value = sampleOf(rest(), mode, depth + 1)
    if (value !== undefined) members.push({ name: 'key', value })
  }
  return { kind: 'object', members }
}

/** What a value becomes in another shape: itself where it fits, with the members that fit, else a blank one. */
export function adapt(shape: Shape, json: Json): Json {
  const blank = sampleOf(shape, 'blank') ?? NULL
  if (shape.kind !== 'object') return fits(shape, json) && shape.kind !== 'any' ? json : blank
  if (json.kind !== 'object' || blank.kind !== 'object') return blank
  const keeps = (name: string, value: Json): boolean => {
    const property = shape.properties.find((each) => each.name === name)
    return property === undefined ? shape.rest !== 'closed' : fits(property.shape(), value)
  }
  const kept = json.members.filter(({ name, value }) => keeps(name, value))
  const fresh = blank.members.filter(({ name }) => !kept.some((member) => member.name === name))
  return { kind: 'object', members: [...fresh, ...kept] }
}

/** The value that a member gets when it is added. */
export function firstValue(shape: Shape): Json {
  return sampleOf(shape, 'blank', 1) ?? (shape.kind === 'object' ? fromPlain({}) : NULL)
}
