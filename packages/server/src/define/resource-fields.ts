import type { Schema } from '@sdk/protocol'
import { isRecord, toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import { followPointer } from '../schema/subschemas.ts'
import type { Field, FieldType } from './store.ts'

/** The fields that every resource has in addition to those in its schema. The store sets them. */
export const SYSTEM_FIELDS: readonly Field[] = [
  { name: 'id', type: 'integer', isNullable: false },
  { name: 'createdAt', type: 'timestamp', isNullable: false },
  { name: 'updatedAt', type: 'timestamp', isNullable: false },
]

/** The fields of a schema and the JSON Schemas of its input and output. */
export interface FieldSchema {
  readonly fields: readonly Field[]
  /** The JSON Schema of the values that callers send. */
  readonly input: JsonSchema
  /** The JSON Schema of the stored values. */
  readonly output: JsonSchema
}

/** Returns the fields of a resource's schema. Throws a `TypeError` if they cannot be determined. */
export function toFieldSchema(schema: Schema): FieldSchema {
  const input = toJsonSchema(schema, 'input')
  const output = toJsonSchema(schema, 'output')
  if (input === null || output === null)
    throw new TypeError(
      'schema cannot be converted to JSON Schema: use zod 4.2 or later, arktype, or valibot with toStandardJsonSchema',
    )
  const properties = readProperties(output)
  if (properties === null) throw new TypeError('schema must be an object with known fields, such as z.object({ … })')
  for (const name of Object.keys(properties)) assertNoDate(name, schema)
  const required = Array.isArray(output['required']) ? (output['required'] as unknown[]) : []
  const accepted = readProperties(input) ?? {}
  const fields = Object.entries(properties).map(([name, property]) => {
    const kept = describeField(property, output)
    const sent = describeField(accepted[name], input)
    const fallback = sent.default ?? kept.default
    return {
      name: assertFieldName(name),
      type: assertOneType(name, sent.type, kept.type),
      isNullable: kept.isNullable || !required.includes(name),
      ...(fallback !== undefined && { default: fallback }),
      ...(kept.maxLength !== undefined && { maxLength: kept.maxLength }),
    }
  })
  return { fields, input, output }
}

/** Returns whether a schema within `root` accepts `null`. */
export function acceptsNull(schema: unknown, root: JsonSchema): boolean {
  return describeField(schema, root).isNullable
}

/**
 * Returns the schema of a member, or undefined if the member is not declared. If several `anyOf` or `oneOf`
 * alternatives declare it, returns an `anyOf` of its schemas.
 */
export function memberSchemaOf(schema: unknown, name: string, root: JsonSchema): unknown {
  const found = new Set(holdersOf(schema, name, root).map((holder) => readProperties(holder)?.[name]))
  // Without deduplication, the number of mutually recursive alternatives would double at every level of a patch.
  return found.size > 1 ? { anyOf: [...found] } : [...found][0]
}

/** Returns whether a member accepts `null` as a value. An optional member that accepts any value does not count. */
export function acceptsNullMember(schema: unknown, name: string, root: JsonSchema): boolean {
  const kinds = new Set(choicesOf(resolveOrEmpty(memberSchemaOf(schema, name, root), root), root).flatMap(fieldKindsOf))
  if (kinds.has('null')) return true
  const isRequired = ({ required }: JsonSchema): boolean => Array.isArray(required) && required.includes(name)
  return kinds.has('any') && holdersOf(schema, name, root).some(isRequired)
}

/** Returns the alternatives in a schema that declare a member. */
function holdersOf(schema: unknown, name: string, root: JsonSchema): JsonSchema[] {
  return choicesOf(resolveOrEmpty(schema, root), root).filter((part) => Object.hasOwn(readProperties(part) ?? {}, name))
}

/** The names reserved for the row itself, which fields cannot use. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([...SYSTEM_FIELDS.map(({ name }) => name), 'version'])

/** Throws if a name cannot be used for a member of an item. */
export function assertFieldName(name: string): string {
  if (!/^[a-z][a-zA-Z0-9]{0,62}$/.test(name))
    throw new TypeError(`field ${JSON.stringify(name)} must be in camelCase, such as dueDate`)
  if (RESERVED_NAMES.has(name))
    throw new TypeError(`field ${name} is set by the resource itself: remove it from the schema`)
  return name
}

/** The part of a zod schema that identifies dates, for which JSON Schema has no type. */
interface ZodSchema {
  readonly shape?: Readonly<Record<string, ZodSchema | undefined>>
  readonly def?: { readonly type?: string; readonly coerce?: boolean; readonly innerType?: ZodSchema }
}

function assertNoDate(name: string, schema: Schema): void {
  let field = (schema as ZodSchema).shape?.[name]
  // Unwrap `.optional()`, `.nullable()` and `.default(…)`.
  while (field?.def?.innerType !== undefined) field = field.def.innerType
  if (field?.def?.type === 'date' && field.def.coerce !== true)
    throw new TypeError(`field ${name} is a Date, which JSON cannot represent: use z.iso.datetime() or z.iso.date()`)
}

/**
 * Throws if a field's input and output types differ, because a patch revalidates the stored values of the other fields.
 */
function assertOneType(name: string, sent: FieldType, kept: FieldType): FieldType {
  const [taken, made] = [comparableTypeOf(sent), comparableTypeOf(kept)]
  if (taken !== undefined && made !== undefined && taken !== made)
    throw new TypeError(
      `field ${name} accepts a ${taken} but outputs a ${made}: use one type for both, and convert outside the schema`,
    )
  return kept
}

/** Returns the JSON type of a comparable field type, or undefined for `json`. */
function comparableTypeOf(type: FieldType): string | undefined {
  if (type === 'json') return undefined
  if (type === 'integer') return 'number'
  return type === 'timestamp' || type === 'date' ? 'string' : type
}

function describeField(schema: unknown, root: JsonSchema): Omit<Field, 'name'> {
  const whole = resolveOrEmpty(schema, root)
  const parts = choicesOf(whole, root)
  const kinds = new Set(parts.flatMap(fieldKindsOf))
  const isNullable = kinds.delete('null') || kinds.has('any')
  const [only = 'json'] = kinds.size === 1 ? kinds : []
  const lengths = parts.filter((part) => fieldKindsOf(part).includes('string')).map(maxLengthOf)
  const length = Math.max(...lengths)
  return {
    type: only === 'any' || only === 'null' ? 'json' : only,
    isNullable,
    default: whole['default'],
    maxLength: only === 'string' && Number.isFinite(length) ? length : undefined,
  }
}

function choicesOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const choices = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(choices) ? choices.flatMap((choice) => choicesOf(resolveOrEmpty(choice, root), root)) : [schema]
}

function fieldKindsOf(schema: JsonSchema): (FieldType | 'null' | 'any')[] {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  const types = schema['type'] ?? (Array.isArray(values) ? values.map(jsonTypeOf) : 'any')
  return (Array.isArray(types) ? types : [types]).map((type) => fieldKindOf(String(type), schema))
}

function fieldKindOf(type: string, { format }: JsonSchema): FieldType | 'null' | 'any' {
  if (type === 'string') return format === 'date-time' ? 'timestamp' : format === 'date' ? 'date' : 'string'
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'null' || type === 'any'
    ? type
    : 'json'
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function maxLengthOf(schema: JsonSchema): number {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  if (Array.isArray(values)) return Math.max(...values.map((value) => String(value).length))
  const { maxLength, format } = schema
  return typeof maxLength === 'number' ? maxLength : (FORMAT_LENGTHS.get(String(format)) ?? Number.POSITIVE_INFINITY)
}

/** The maximum lengths that some string formats imply. */
const FORMAT_LENGTHS: ReadonlyMap<string, number> = new Map(Object.entries({ uuid: 36, ipv4: 15, ipv6: 45, time: 30 }))

function readProperties(schema: JsonSchema | null): Record<string, unknown> | null {
  const properties = schema?.['properties']
  return isRecord(properties) ? properties : null
}

function resolveOrEmpty(schema: unknown, root: JsonSchema): JsonSchema {
  if (!isRecord(schema)) return {}
  const { $ref: reference, ...others } = schema
  if (typeof reference !== 'string') return schema
  const found = followPointer(reference, root)
  return found === null || '$ref' in found ? {} : { ...found, ...others }
}
