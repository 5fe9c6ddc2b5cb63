import { branchesOf, flatten } from './flatten.ts'
import { isJsonObject, listOf, ownMember, type JsonSchema } from './json-schema.ts'
import { fromJsValue, type Json } from './json-tree.ts'
import { branchTitle, toUniqueTitles } from './titles.ts'

/** The title, description and schema of a field. */
export interface ShapeInfo {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly defaultValue?: Json | undefined
  readonly examples: readonly Json[]
  /** The schema, with references and `allOf` resolved. */
  readonly schema: JsonSchema
}

/** A property of an object. */
export interface Property {
  readonly name: string
  readonly isRequired: boolean
  readonly shape: Lazy
}

/** A shape that is created on demand, since a schema can contain itself. */
export type Lazy = () => Shape

/** The shape of a value, which determines how it is edited. */
export type Shape = ShapeInfo &
  (
    | { readonly kind: 'any' }
    /** A shape that allows no value. */
    | { readonly kind: 'never' }
    | { readonly kind: 'string'; readonly format: string | null; readonly isLong: boolean }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'null' }
    | { readonly kind: 'const'; readonly value: Json }
    | { readonly kind: 'choice'; readonly options: readonly Json[] }
    | ObjectShape
    | { readonly kind: 'array'; readonly prefix: readonly Lazy[]; readonly rest: Lazy | null }
    | UnionShape
    | { readonly kind: 'nullable'; readonly inner: Lazy }
  )

/**
 * The shape of an object. `rest` is `closed` if additional members are forbidden, `loose` if any are allowed, and
 * otherwise their shape.
 */
export interface ObjectShape {
  readonly kind: 'object'
  readonly properties: readonly Property[]
  readonly rest: Lazy | 'closed' | 'loose'
}

/** A choice between several shapes. The discriminator is the member whose constant identifies the branch. */
export interface UnionShape {
  readonly kind: 'union'
  readonly branches: readonly { readonly title: string; readonly shape: Lazy }[]
  readonly discriminator: string | null
}

const LONG_TEXT = 200

const shapeCache = new WeakMap<JsonSchema, WeakMap<JsonSchema, Shape>>()

/** Returns the shape for a schema. The same schema object always yields the same shape object. */
export function shapeOf(schema: unknown, root: JsonSchema): Shape {
  if (!isJsonObject(schema)) return makeShape(schema, root)
  const ofRoot = shapeCache.get(root) ?? new WeakMap<JsonSchema, Shape>()
  shapeCache.set(root, ofRoot)
  const made = ofRoot.get(schema) ?? makeShape(schema, root)
  ofRoot.set(schema, made)
  return made
}

function makeShape(schema: unknown, root: JsonSchema): Shape {
  const flat = flatten(schema, root)
  if (flat === false) return { kind: 'never', examples: [], schema: {} }
  if (flat === null) return { kind: 'any', ...aboutOf(isJsonObject(schema) ? schema : {}) }
  return { ...aboutOf(flat), ...shapeKindOf(flat, root) }
}

function aboutOf(schema: JsonSchema): ShapeInfo {
  const { title, description } = schema
  return {
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    defaultValue: 'default' in schema ? fromJsValue(schema['default']) : undefined,
    examples: listOf(schema, 'examples').map(fromJsValue),
    schema,
  }
}

type ShapeKind = Shape extends infer S ? (S extends Shape ? Omit<S, keyof ShapeInfo> : never) : never

function shapeKindOf(schema: JsonSchema, root: JsonSchema): ShapeKind {
  if ('const' in schema) return { kind: 'const', value: fromJsValue(schema['const']) }
  // In an `enum`, null is an option like any other.
  if (Array.isArray(schema['enum'])) return { kind: 'choice', options: schema['enum'].map(fromJsValue) }
  if (isJsonObject(schema['not']) && Object.keys(schema['not']).length === 0) return { kind: 'never' }
  const branches = branchesOf(schema, root)
  if (branches.length > 0) return unionOf(branches, root)
  const types = typesOf(schema)
  // The union's title, description, default and examples do not apply to its individual branches.
  const { title: _title, description: _text, default: _given, examples: _seen, ...base } = schema
  const each = types.map((type) => ({ ...base, type }))
  return each.length > 1 ? unionOf(each, root) : byType(types[0] ?? 'any', schema, root)
}

function byType(type: string, schema: JsonSchema, root: JsonSchema): ShapeKind {
  if (type === 'string') return stringOf(schema)
  if (type === 'number' || type === 'integer') return { kind: 'number', isInteger: type === 'integer' }
  if (type === 'object') return objectOf(schema, root)
  if (type !== 'array') return { kind: type === 'boolean' || type === 'null' ? type : 'any' }
  return {
    kind: 'array',
    prefix: listOf(schema, 'prefixItems').map((item) => () => shapeOf(item, root)),
    rest: schema['items'] === false ? null : () => shapeOf(schema['items'], root),
  }
}

function stringOf({ maxLength, format, contentMediaType }: JsonSchema): ShapeKind {
  const isLong = Number(maxLength) > LONG_TEXT || contentMediaType !== undefined
  return { kind: 'string', format: typeof format === 'string' ? format : null, isLong }
}

function objectOf(schema: JsonSchema, root: JsonSchema): ObjectShape {
  const { additionalProperties, propertyNames } = schema
  const required = new Set(listOf(schema, 'required'))
  const said = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : []
  // A map whose keys are known is treated as an object.
  const keys = listOf(isJsonObject(propertyNames) ? propertyNames : {}, 'enum').filter((key) => typeof key === 'string')
  const rest: unknown = additionalProperties
  const named = [
    ...said,
    ...keys.filter((key) => !said.some(([name]) => name === key)).map((key) => [key, rest] as const),
  ]
  // A required member has a field even if it is missing from `properties`.
  const others = [...required].filter((name) => typeof name === 'string' && !named.some(([each]) => each === name))
  return {
    kind: 'object',
    properties: [...named, ...others.map((name) => [name as string, rest ?? true] as const)].map(([name, part]) => ({
      name,
      isRequired: required.has(name),
      shape: () => shapeOf(part, root),
    })),
    rest: restOf(schema, keys.length > 0, root),
  }
}

function restOf(schema: JsonSchema, areKeysKnown: boolean, root: JsonSchema): ObjectShape['rest'] {
  const rest = schema['additionalProperties']
  if (areKeysKnown || (rest === false && !('patternProperties' in schema))) return 'closed'
  if (rest === false || ('patternProperties' in schema && rest === undefined)) return () => shapeOf(true, root)
  if (rest !== undefined) return () => shapeOf(rest, root)
  return 'properties' in schema ? 'loose' : () => shapeOf(true, root)
}

/** Returns the types that a schema specifies or that its keywords imply. */
function typesOf(schema: JsonSchema): readonly string[] {
  const { type } = schema
  if (type !== undefined) return [type].flat().filter((each) => typeof each === 'string')
  const hint = Object.entries(TYPE_HINTS).find(([, keywords]) => keywords.some((keyword) => keyword in schema))
  return hint === undefined ? [] : [hint[0]]
}

const TYPE_HINTS = {
  object: ['properties', 'additionalProperties', 'required', 'propertyNames'],
  array: ['items', 'prefixItems'],
} as const

function unionOf(schemas: readonly (JsonSchema | false | null)[], root: JsonSchema): ShapeKind {
  const real = schemas.filter((schema) => !isNull(schema))
  if (real.length === schemas.length) return plainUnion(real, root)
  const [only] = real
  if (only === undefined) return { kind: 'null' }
  const inner: Lazy =
    real.length === 1 ? lazily(only, root) : () => ({ examples: [], schema: {}, ...plainUnion(real, root) })
  return { kind: 'nullable', inner: memoize(inner) }
}

function plainUnion(schemas: readonly (JsonSchema | false | null)[], root: JsonSchema): ShapeKind {
  const discriminator = discriminatorOf(schemas, root)
  const titles = schemas.map((schema) => branchTitle(schema, discriminator, root))
  return {
    kind: 'union',
    branches: toUniqueTitles(titles).map((title, index) => ({ title, shape: lazily(schemas[index] ?? null, root) })),
    discriminator,
  }
}

function lazily(schema: JsonSchema | false | null, root: JsonSchema): Lazy {
  return memoize(() => (schema === null ? { kind: 'any', examples: [], schema: {} } : shapeOf(schema, root)))
}

/** Caches the shape, since the state of fields is stored by shape. */
function memoize(make: Lazy): Lazy {
  let made: Shape | undefined
  return () => (made ??= make())
}

function isNull(schema: JsonSchema | false | null): boolean {
  return isJsonObject(schema) && (schema['type'] === 'null' || schema['const'] === null)
}

/** Returns the name of the member that has a different constant in every branch, or null if there is none. */
function discriminatorOf(schemas: readonly (JsonSchema | false | null)[], root: JsonSchema): string | null {
  const [first] = schemas
  if (!isJsonObject(first) || schemas.length < 2) return null
  const names = Object.keys(isJsonObject(first['properties']) ? first['properties'] : {})
  return (
    names.find((name) => {
      const values = schemas.map((schema) => constAt(schema, name, root))
      return !values.includes(undefined) && new Set(values).size === values.length
    }) ?? null
  )
}

function constAt(schema: JsonSchema | false | null, name: string, root: JsonSchema): string | undefined {
  if (!isJsonObject(schema)) return undefined
  const member = flatten(ownMember(schema['properties'], name) ?? null, root)
  return isJsonObject(member) && 'const' in member ? JSON.stringify(member['const']) : undefined
}
