import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { acceptsNullMember, memberSchemaOf, toFieldSchema } from './resource-fields.ts'

describe('toFieldSchema', () => {
  it.each([
    ['a stringbool', z.object({ size: z.stringbool() }), 'field size accepts a string but outputs a boolean'],
    [
      'a pipe',
      z.object({ size: z.string().transform(Number).pipe(z.number()) }),
      'accepts a string but outputs a number',
    ],
    ['a morph', type({ size: 'string.numeric.parse' }), 'use one type for both, and convert outside the schema'],
  ])('throws if the input and output types of a field differ: %s', (_, schema, message) => {
    expect(() => toFieldSchema(schema)).toThrow(message)
  })

  it.each([z.date(), z.date().optional(), z.date().nullable().default(null)])(
    'throws for dates, which JSON cannot represent',
    (due) => {
      expect(() => toFieldSchema(z.object({ due }))).toThrow('field due is a Date, which JSON cannot represent')
    },
  )

  it('accepts fields whose JSON types are equal or unknown', () => {
    const schema = z.object({
      count: z.number().transform(Math.round).pipe(z.int()),
      title: z.string().transform((text) => text.trim()),
      at: z.string().pipe(z.iso.datetime()),
      due: z.coerce.date(),
      rank: z.coerce.number(),
    })
    expect(toFieldSchema(schema).fields.map(({ type: kept }) => kept)).toEqual([
      'integer',
      'json',
      'timestamp',
      'json',
      'number',
    ])
  })
})

describe('memberSchemaOf', () => {
  it('returns the schemas of a member in all choices', () => {
    const root = {
      anyOf: [
        { type: 'object', properties: { size: { type: 'string' } } },
        { $ref: '#/$defs/other' },
        { type: 'object', properties: { name: {} } },
      ],
      $defs: { other: { type: 'object', properties: { size: { type: 'null' } } } },
    }
    expect(memberSchemaOf(root, 'size', root)).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] })
    expect(memberSchemaOf(root, 'name', root)).toEqual({})
    expect(memberSchemaOf(root, 'nope', root)).toBeUndefined()
    expect(acceptsNullMember(root, 'size', root)).toBe(true)
  })
})

describe('acceptsNullMember', () => {
  it('accepts null if it is declared, or if a required member can have any value', () => {
    const { input } = toFieldSchema(
      z.object({
        a: z.string().nullish(),
        b: z.coerce.date().optional(),
        c: z.unknown(),
        d: z.string().optional(),
      }),
    )
    const accepted = ['a', 'b', 'c', 'd', 'e'].filter((name) => acceptsNullMember(input, name, input))
    expect(accepted).toEqual(input['required'] === undefined ? ['a'] : ['a', 'c'])
  })
})
