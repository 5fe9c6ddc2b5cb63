import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../schema/json-schema.ts'
import { toPatchSchema, withNull } from './patch-schema.ts'

describe('toPatchSchema', () => {
  const patch = (schema: JsonSchema): JsonSchema => toPatchSchema(schema, schema)

  it('requires no member and makes optional members nullable', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    expect(patch({ type: 'object', required: ['a'], minProperties: 1, properties })).toStrictEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] } },
    })
  })

  it('applies to records and choices', () => {
    const inner = { type: 'object', required: ['b'], properties: { b: { type: 'boolean' } } }
    const part = { type: 'object', properties: { b: { type: 'boolean' } } }
    const record = { type: 'object', additionalProperties: inner }
    expect(patch(record)).toStrictEqual({
      type: 'object',
      additionalProperties: { ...part, type: ['object', 'null'] },
    })
    expect(patch({ oneOf: [inner, { type: 'string' }] })).toStrictEqual({
      anyOf: [{ type: 'object', properties: { b: { type: ['boolean', 'null'] } } }, { type: 'string' }],
    })
  })

  it('does not change arrays', () => {
    const list = { type: 'array', items: { type: 'object', required: ['a'], properties: { a: {} } } }
    expect(patch(list)).toStrictEqual(list)
  })

  it('resolves references, but stops at recursive ones', () => {
    const node = { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } }
    expect(toPatchSchema({ $ref: '#/$defs/node' }, { $defs: { node } })).toStrictEqual({
      type: 'object',
      properties: { next: {} },
    })
    expect(toPatchSchema({ $ref: '#/$defs/nope', description: 'x' }, {})).toStrictEqual({ description: 'x' })
  })
})

describe('withNull', () => {
  it.each([
    [{ type: 'string' }, { type: ['string', 'null'] }],
    [{ type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [{}, {}],
    [
      { type: 'string', enum: ['a'], description: 'x' },
      { description: 'x', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    ],
  ])('converts %j to %j', (schema, nullable) => {
    expect(withNull(schema, {})).toStrictEqual(nullable)
  })
})
