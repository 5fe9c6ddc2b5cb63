import { describe, expect, it } from 'vitest'
import { SchemaRegistry } from './schema-registry.ts'
import type { SchemaContext } from '../schema/wire-schema.ts'

const request: SchemaContext = { side: 'request', size: 1_000 }

describe('SchemaRegistry', () => {
  it('stores a schema under its name', () => {
    const registry = new SchemaRegistry()
    expect(registry.put({ type: 'boolean' }, request, 'flag')).toStrictEqual({ $ref: '#/components/schemas/flag' })
    expect(registry.schemas).toStrictEqual({ flag: { type: 'boolean' } })
  })

  it('names referenced schemas by number, independently of the library', () => {
    const registry = new SchemaRegistry()
    const $defs = { 'intersection221/x': { type: 'array', maxItems: 3, items: { $ref: '#/$defs/intersection221~1x' } } }
    expect(registry.inline({ anyOf: [{ $ref: '#/$defs/intersection221~1x' }], $defs }, request, 'list')).toStrictEqual({
      anyOf: [{ $ref: '#/components/schemas/list1' }],
    })
    expect(registry.schemas).toStrictEqual({
      list1: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/list1' } },
    })
  })

  it('names a schema that references itself', () => {
    const registry = new SchemaRegistry()
    const schema = { type: 'object', properties: { next: { $ref: '#' } } }
    expect(registry.inline(schema, request, 'node')).toStrictEqual({ $ref: '#/components/schemas/node' })
    expect(registry.schemas['node']).toHaveProperty('properties.next.$ref', '#/components/schemas/node')
  })

  it('does not close a schema that is part of a larger object', () => {
    const registry = new SchemaRegistry()
    const $defs = { base: { type: 'object', properties: { id: {} } }, alone: { type: 'object', properties: { a: {} } } }
    const own = { type: 'object', properties: { other: { $ref: '#/$defs/alone' } } }
    const schema = registry.inline({ allOf: [{ $ref: '#/$defs/base' }, own], $defs }, request, 'item')
    expect(schema).toHaveProperty('unevaluatedProperties', false)
    expect(registry.schemas['item1']).not.toHaveProperty('additionalProperties')
    expect(registry.schemas['item2']).toHaveProperty('additionalProperties', false)
  })

  it('removes a reference that it cannot resolve', () => {
    const schema = { type: 'array', maxItems: 1, items: { $ref: '#/properties/a', description: 'x' } }
    expect(new SchemaRegistry().inline(schema, request, 'list')).toStrictEqual({
      ...schema,
      items: { description: 'x' },
    })
  })
})
