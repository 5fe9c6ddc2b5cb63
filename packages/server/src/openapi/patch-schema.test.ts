import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../schema/json-schema.ts'
import { toPatchSchema, withNull } from './patch-schema.ts'

describe('toPatchSchema', () => {
  const patch = (schema: JsonSchema): JsonSchema => toPatchSchema(schema, schema)

  it('asks for no member, and lets those be removed that are not needed', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } }
    expect(patch({ type: 'object', required: ['a'], minProperties: 1, properties })).toStrictEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['string', 'null'] } },
    })
  })

  it('does so within records, and where there are several choices', () => {
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

  it('leaves lists whole', () => {
    const list = { type: 'array', items: { type: 'object', required: ['a'], properties: { a: {} } } }
    expect(patch(list)).toStrictEqual(list)
  })

  it('follows pointers, but not for ever', () => {
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
  ])('of %j is %j', (schema, nullable) => {
    expect(withNull(schema, {})).toStrictEqual(nullable)
  })
})
