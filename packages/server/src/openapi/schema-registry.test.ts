import { describe, expect, it } from 'vitest'
import { SchemaRegistry } from './schema-registry.ts'
import type { SchemaContext } from '../schema/wire-schema.ts'

const request: SchemaContext = { side: 'request', size: 1_000 }

describe('createSchemaShelf', () => {
  it('keeps a schema under its name', () => {
    const shelf = new SchemaRegistry()
    expect(shelf.put({ type: 'boolean' }, request, 'flag')).toStrictEqual({ $ref: '#/components/schemas/flag' })
    expect(shelf.schemas).toStrictEqual({ flag: { type: 'boolean' } })
  })

  it('names what a schema points to by number, whatever the library called it', () => {
    const shelf = new SchemaRegistry()
    const $defs = { 'intersection221/x': { type: 'array', maxItems: 3, items: { $ref: '#/$defs/intersection221~1x' } } }
    expect(shelf.inline({ anyOf: [{ $ref: '#/$defs/intersection221~1x' }], $defs }, request, 'list')).toStrictEqual({
      anyOf: [{ $ref: '#/components/schemas/list1' }],
    })
    expect(shelf.schemas).toStrictEqual({
      list1: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/list1' } },
    })
  })

  it('names a schema that points to itself', () => {
    const shelf = new SchemaRegistry()
    const schema = { type: 'object', properties: { next: { $ref: '#' } } }
    expect(shelf.inline(schema, request, 'node')).toStrictEqual({ $ref: '#/components/schemas/node' })
    expect(shelf.schemas['node']).toHaveProperty('properties.next.$ref', '#/components/schemas/node')
  })

  it('does not close a schema that is part of a larger object', () => {
    const shelf = new SchemaRegistry()
    const $defs = { base: { type: 'object', properties: { id: {} } }, alone: { type: 'object', properties: { a: {} } } }
    const own = { type: 'object', properties: { other: { $ref: '#/$defs/alone' } } }
    const schema = shelf.inline({ allOf: [{ $ref: '#/$defs/base' }, own], $defs }, request, 'item')
    expect(schema).toHaveProperty('unevaluatedProperties', false)
    expect(shelf.schemas['item1']).not.toHaveProperty('additionalProperties')
    expect(shelf.schemas['item2']).toHaveProperty('additionalProperties', false)
  })

  it('points nowhere rather than somewhere else', () => {
    const schema = { type: 'array', maxItems: 1, items: { $ref: '#/properties/a', description: 'x' } }
    expect(new SchemaRegistry().inline(schema, request, 'list')).toStrictEqual({
      ...schema,
      items: { description: 'x' },
    })
  })
})
