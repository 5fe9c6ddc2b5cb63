import type { Schema } from '@sdk/protocol'

/** A JSON Schema (2020-12), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The side of a schema: its input or its output. */
export type SchemaSide = 'input' | 'output'

/**
 * Converts a schema to JSON Schema with its library's converter. Returns null if that is not possible. Parts that JSON
 * Schema cannot represent (dates, transforms, custom checks) become "any value". This needs no extra dependency: zod
 * (since 4.2) and arktype include the converter, and valibot has `toStandardJsonSchema` in a companion package.
 */
export function toJsonSchema(schema: Schema, side: SchemaSide): JsonSchema | null {
  for (const convert of [fromStandard, fromArktype]) {
    try {
      const plain: unknown = JSON.parse(JSON.stringify(convert(schema, side)) ?? 'null')
      if (isRecord(plain)) return plain
    } catch {
      // Ignored: a schema without a JSON Schema still validates.
    }
  }
  return null
}

/** Converts with the Standard JSON Schema interface: https://standardschema.dev/json-schema */
function fromStandard(schema: Schema, side: SchemaSide): unknown {
  const standard: Schema['~standard'] & { jsonSchema?: Record<SchemaSide, (options: object) => unknown> } =
    schema['~standard']
  return standard.jsonSchema?.[side]({ target: 'draft-2020-12', libraryOptions: LENIENT[standard.vendor]?.[side] })
}

/**
 * Converts with arktype's own API. Older versions do not support the standard, and the first versions with support for
 * it throw for unsupported parts.
 */
function fromArktype(schema: Schema, side: SchemaSide): unknown {
  const { in: input, out: output } = schema as Partial<
    Record<'in' | 'out', { toJsonSchema?(options: object): unknown }>
  >
  return (side === 'input' ? input : output)?.toJsonSchema?.({ fallback: ({ base }: { base: unknown }) => base })
}

/** The options that make a library return "any value" for unsupported parts instead of throwing. */
const LENIENT: Readonly<Record<string, Record<SchemaSide, object>>> = {
  zod: { input: { unrepresentable: 'any' }, output: { unrepresentable: 'any' } },
  valibot: {
    input: { errorMode: 'ignore', overrideSchema: keepLoose },
    output: { errorMode: 'ignore', overrideSchema: keepLoose, overrideAction: forgetType },
  },
}

/** The valibot actions that change the type of a value. */
const RETYPES =
  /^(raw_)?transform$|^(parse|stringify)_json$|^to_(bigint|boolean|date|number|string)$|^(find_item|map_items|reduce_items)$/

/** Removes the type after an action that changes it: valibot would keep the previous type. */
function forgetType({ valibotAction }: { valibotAction: { type: string } }): object | null {
  return RETYPES.test(valibotAction.type) ? {} : null
}

/** Marks loose objects. Valibot's JSON Schema is the same whether an object keeps or drops unknown members. */
function keepLoose(context: { valibotSchema: { type: string }; jsonSchema: object }): object | null {
  return context.valibotSchema.type === 'loose_object' ? { ...context.jsonSchema, additionalProperties: true } : null
}

/** Returns whether a value is an object and not an array, such as any JSON Schema except `true` and `false`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
