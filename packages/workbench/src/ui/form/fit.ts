import { isSameJson, lastMember, type Json, type JsonObject } from './json-tree.ts'
import type { ObjectShape, Shape, UnionShape } from './shape.ts'

/** Returns whether a field for this shape can display a value. An absent value always fits. */
export function fits(shape: Shape, json: Json | undefined): boolean {
  if (json === undefined) return true
  if (shape.kind === 'any' || shape.kind === 'union') return true
  if (shape.kind === 'const') return isSameJson(shape.value, json)
  if (shape.kind === 'choice') return shape.options.some((option) => isSameJson(option, json))
  if (shape.kind === 'nullable') return json.kind === 'null' || fits(shape.inner(), json)
  return shape.kind === json.kind
}

/** The score for a wrong type or constant, which matters more than a missing member. */
const WRONG_KIND = 100

/** Returns a score for how badly a value, including its nested values, fits a shape, or 0 if it fits. */
function misfit(shape: Shape, json: Json): number {
  if (!fits(shape, json)) return WRONG_KIND
  if (shape.kind === 'union') return Math.min(...shape.branches.map((branch) => misfit(branch.shape(), json)))
  if (shape.kind === 'nullable') return json.kind === 'null' ? 0 : misfit(shape.inner(), json)
  if (shape.kind === 'object' && json.kind === 'object') return objectMisfit(shape, json)
  if (shape.kind !== 'array' || json.kind !== 'array') return 0
  return json.items.reduce(
    (sum, item, index) => {
      const inner = shape.prefix[index] ?? shape.rest
      return sum + (inner === null ? 1 : partMisfit(inner(), item))
    },
    Math.max(0, shape.prefix.length - json.items.length),
  )
}

function objectMisfit({ properties, rest }: ObjectShape, json: JsonObject): number {
  const names = new Set(properties.map(({ name }) => name))
  let sum =
    json.members.filter(({ name }) => !names.has(name)).length * (rest === 'closed' ? 2 : rest === 'loose' ? 1 : 0)
  for (const { name, isRequired, shape } of properties) {
    const value = lastMember(json, name)
    if (value === undefined) {
      // A value that lacks a branch's constant is rarely intended for that branch.
      if (isRequired) sum += shape().kind === 'const' ? 10 : 3
    } else sum += partMisfit(shape(), value)
  }
  if (typeof rest === 'function')
    for (const { name, value } of json.members) if (!names.has(name)) sum += partMisfit(rest(), value)
  return sum
}

/** Returns the score for a nested value, which is limited unless a constant is wrong. */
function partMisfit(shape: Shape, json: Json): number {
  return shape.kind === 'const' ? misfit(shape, json) / 2 : Math.min(misfit(shape, json), 2)
}

/** Returns the index of the branch that a value fits best. */
export function bestBranch({ branches }: UnionShape, json: Json): number {
  const scores = branches.map((branch) => misfit(branch.shape(), json))
  return scores.indexOf(Math.min(...scores))
}
