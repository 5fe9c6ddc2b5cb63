import type { Schema } from '@sdk/protocol'

/** A JSON Schema (2020-12), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** Which side of a schema is meant: what goes in, or what it makes of it. */
export type SchemaSide = 'input' | 'output'

/**
 * The JSON Schema of a schema, as far as its own library can say it; null where it cannot. Parts that JSON Schema
 * has no word for (dates, transforms, checks of one's own) say "anything". Needs no library: zod since 4.2 and
 * arktype bring the converter with the schema, valibot when wrapped in `toStandardJsonSchema` of its own package.
 */
export function toJsonSchema(schema: Schema, side: SchemaSide): JsonSchema | null {
  for (const convert of [fromStandard, fromArktype]) {
    try {
      const plain: unknown = JSON.parse(JSON.stringify(convert(schema, side)) ?? 'null')
      if (isRecord(plain)) return plain
    } catch {
      // A schema that cannot be written down still checks: to describe it is never worth an error.
    }
  }
  return null
}

/** The way all libraries agreed on: https://standardschema.dev/json-schema */
function fromStandard(schema: Schema, side: SchemaSide): unknown {
  const standard: Schema['~standard'] & { jsonSchema?: Record<SchemaSide, (options: object) => unknown> } =
    schema['~standard']
  return standard.jsonSchema?.[side]({ target: 'draft-2020-12', libraryOptions: LENIENT[standard.vendor]?.[side] })
}

/** Arktype's own way: older ones have no other, and the first to have one threw at what they could not say. */
function fromArktype(schema: Schema, side: SchemaSide): unknown {
  const { in: input, out: output } = schema as Partial<
    Record<'in' | 'out', { toJsonSchema?(options: object): unknown }>
  >
  return (side === 'input' ? input : output)?.toJsonSchema?.({ fallback: ({ base }: { base: unknown }) => base })
}

/** How to tell a library that what it cannot say is "anything", and no error. Arktype needs no telling. */
const LENIENT: Readonly<Record<string, Record<SchemaSide, object>>> = {
  zod: { input: { unrepresentable: 'any' }, output: { unrepresentable: 'any' } },
  valibot: {
    input: { errorMode: 'ignore', overrideSchema: keepLoose },
    output: { errorMode: 'ignore', overrideSchema: keepLoose, overrideAction: forgetType },
  },
}

/** The valibot actions that make a value of another type. */
const RETYPES =
  /^(raw_)?transform$|^(parse|stringify)_json$|^to_(bigint|boolean|date|number|string)$|^(find_item|map_items|reduce_items)$/

/** Valibot would go on with the type that a value had before. */
function forgetType({ valibotAction }: { valibotAction: { type: string } }): object | null {
  return RETYPES.test(valibotAction.type) ? {} : null
}

/** Valibot says the same of an object that takes further members and of one that drops them. */
function keepLoose(context: { valibotSchema: { type: string }; jsonSchema: object }): object | null {
  return context.valibotSchema.type === 'loose_object' ? { ...context.jsonSchema, additionalProperties: true } : null
}

/** Is it an object that is not a list? A schema that is not just `true` or `false` is one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
