import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from './json-schema.ts'
import { toWireSchema, type SchemaContext } from './wire-schema.ts'

const request: SchemaContext = { side: 'request', size: 1_000 }
const response: SchemaContext = { side: 'response', size: 1_000 }

describe('toWireSchema', () => {
  it('adds missing limits and keeps existing ones', () => {
    expect(toWireSchema({ type: ['string', 'null'] }, response)).toStrictEqual({
      type: ['string', 'null'],
      maxLength: 1_000,
      pattern: String.raw`^[\s\S]*$`,
    })
    const short = { type: 'string', maxLength: 5, pattern: '^a' }
    expect(toWireSchema(short, request)).toStrictEqual(short)
    expect(toWireSchema({ type: 'array' }, request)).toStrictEqual({ type: 'array', maxItems: 1_000 })
    expect(toWireSchema({ type: 'number' }, request)).toStrictEqual({ type: 'number', format: 'double' })
  })

  it('normalizes the range of an integer', () => {
    const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
    expect(toWireSchema({ type: 'integer' }, request)).toStrictEqual({ type: 'integer', format: 'int64', ...safe })
    expect(toWireSchema({ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 4.5 }, request)).toStrictEqual({
      type: 'integer',
      format: 'int32',
      minimum: 2,
      maximum: 4,
    })
  })

  it('rejects U+0000 in requests, like the server', () => {
    const accepts = new Ajv2020({ validateFormats: false }).compile(toWireSchema({ type: 'string' }, request))
    expect([accepts('a\0b'), accepts('a\nb'), accepts('🙂'), accepts('')]).toStrictEqual([false, true, true, true])
  })

  it('removes defaults, but not a member of that name', () => {
    const member = { type: 'boolean', default: true }
    expect(toWireSchema({ properties: { default: member }, default: {} }, response)).toStrictEqual({
      properties: { default: { type: 'boolean' } },
    })
  })

  it('closes objects in requests and opens them in responses', () => {
    const schema = { type: 'object', properties: { a: { type: 'null' } } }
    expect(toWireSchema(schema, request)).toStrictEqual({ ...schema, additionalProperties: false })
    expect(toWireSchema({ ...schema, additionalProperties: false }, response)).toStrictEqual(schema)
    expect(toWireSchema({ type: 'object' }, request)).toStrictEqual({ type: 'object', additionalProperties: true })
    const record = { type: 'object', additionalProperties: { type: 'null' } }
    expect(toWireSchema(record, request)).toStrictEqual(record)
    expect(toWireSchema(record, response)).toStrictEqual(record)
  })

  it('lets the choices of a response overlap', () => {
    const choice = (name: string): JsonSchema => ({ properties: { [name]: {} }, additionalProperties: false })
    const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(
      toWireSchema({ oneOf: [choice('a'), choice('b')] }, response),
    )
    expect(accepts({ a: 1 })).toBe(true)
  })

  it('closes an object with several parts as a whole', () => {
    const a = { type: 'object', properties: { a: {} } }
    const b = { type: 'object', properties: { b: {} } }
    const c = { type: 'object', properties: { c: {} } }
    for (const schema of [{ allOf: [a, { anyOf: [b, c] }] }, { ...a, anyOf: [b, c] }]) {
      const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(toWireSchema(schema, request))
      expect([accepts({ a: 1, b: 1 }), accepts({ a: 1, c: 1 }), accepts({ a: 1, x: 1 })]).toStrictEqual([
        true,
        true,
        false,
      ])
    }
  })

  it('closes each choice', () => {
    const choice = (name: string): JsonSchema => ({ type: 'object', properties: { [name]: {} } })
    const accepts = new Ajv2020({ validateFormats: false }).compile(
      toWireSchema({ anyOf: [choice('a'), choice('b')] }, request),
    )
    expect([accepts({ a: 1 }), accepts({ b: 1 }), accepts({ a: 1, b: 1 })]).toStrictEqual([true, true, false])
  })

  it('does not change conditions', () => {
    const schema = { not: { type: 'string' }, if: { properties: { a: { default: 1 } } } }
    expect(toWireSchema(schema, request)).toStrictEqual(schema)
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(anySchema, fc.constantFrom(request, response), (schema, context) => {
        const once = toWireSchema(schema, context)
        expect(toWireSchema(once, context)).toStrictEqual(once)
      }),
    )
  })

  it('accepts in a response every value that the schema accepts', () => {
    fc.assert(
      fc.property(anySchema, fc.array(anyValue, { minLength: 5, maxLength: 20 }), (schema, values) => {
        const ajv = new Ajv2020({ strict: false, validateFormats: false })
        const [before, after] = [ajv.compile(schema), ajv.compile(toWireSchema(schema, response))]
        expect(values.filter((value) => before(value) && !after(value))).toStrictEqual([])
      }),
      { numRuns: 40 },
    )
  })
})

const name = fc.constantFrom('a', 'b', 'default', 'type')

const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, true, '', 'text', 'a\0', 0, 3, 2.5, -7),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value

const anySchema = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const list = fc.array(tie('schema'), { minLength: 1, maxLength: 2 })
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonSchema>(
        {},
        { type: 'string', default: 'x' },
        { type: ['string', 'null'], minLength: 1 },
        { type: 'integer', exclusiveMaximum: 4 },
        { type: 'integer', minimum: 1, exclusiveMinimum: 1.5 },
        { type: 'object' },
        { enum: ['text', 3] },
      ),
      list.map((allOf) => ({ allOf })),
      list.map((anyOf) => ({ anyOf })),
      list.map((oneOf) => ({ oneOf })),
      tie('schema').map((items) => ({ type: 'array', items })),
      tie('schema').map((not) => ({ not })),
      fc
        .record(
          {
            properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
            anyOf: list,
          },
          { requiredKeys: ['properties'] },
        )
        .map((members) => ({ type: 'object', ...members })),
    ),
  }
}).schema
