import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { toJsonSchema } from './json-schema.ts'

const $schema = 'https://json-schema.org/draft/2020-12/schema'

describe('toJsonSchema', () => {
  const expected = {
    $schema,
    type: 'object',
    properties: { title: { type: 'string', minLength: 1, maxLength: 9 }, stars: { type: 'integer' } },
    required: ['title'],
  }

  it('converts Zod schemas', () => {
    const schema = z.object({ title: z.string().min(1).max(9), stars: z.int32().optional() })
    const stars = { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }
    const properties = { ...expected.properties, stars }
    expect(toJsonSchema(schema, 'input')).toStrictEqual({ ...expected, properties })
    expect(toJsonSchema(schema, 'output')).toStrictEqual({ ...expected, properties, additionalProperties: false })
  })

  it('converts ArkType schemas', () => {
    const schema = type({ title: '1 <= string <= 9', 'stars?': 'number.integer' })
    expect(toJsonSchema(schema, 'input')).toStrictEqual(expected)
    expect(toJsonSchema(schema, 'output')).toStrictEqual(expected)
  })

  it('converts Valibot schemas that are wrapped by its own package', () => {
    const title = v.pipe(v.string(), v.minLength(1), v.maxLength(9))
    const schema = v.object({ title, stars: v.optional(v.pipe(v.number(), v.integer())) })
    expect(toJsonSchema(toStandardJsonSchema(schema), 'input')).toStrictEqual(expected)
    expect(toJsonSchema(toStandardJsonSchema(schema), 'output')).toStrictEqual(expected)
  })

  it('distinguishes input and output', () => {
    const expectSides = (schema: Parameters<typeof toJsonSchema>[0]): void => {
      expect(toJsonSchema(schema, 'input')).toMatchObject({ properties: { n: { type: 'string' } } })
      expect(toJsonSchema(schema, 'output')).toMatchObject({ properties: { n: { type: 'number' } } })
    }
    expectSides(z.object({ n: z.string().transform(Number).pipe(z.number()) }))
    expectSides(type({ n: type('string').pipe(Number).to('number') }))
    expectSides(toStandardJsonSchema(v.object({ n: v.pipe(v.string(), v.transform(Number), v.number()) })))
  })

  it('returns an empty schema for parts that JSON Schema cannot describe', () => {
    const isOdd = (value: unknown): boolean => value === 1
    const expectAnything = (schema: Parameters<typeof toJsonSchema>[0], parts: string[]): void => {
      const { properties } = toJsonSchema(schema, 'output') ?? {}
      expect(properties).toStrictEqual({
        a: { type: 'string' },
        ...Object.fromEntries(parts.map((part) => [part, {}])),
      })
    }
    expectAnything(
      z.object({
        a: z.string(),
        date: z.date(),
        big: z.bigint(),
        own: z.custom(isOdd),
        changed: z.string().transform(Number),
      }),
      ['date', 'big', 'own', 'changed'],
    )
    expectAnything(type({ a: 'string', date: 'Date', big: 'bigint', changed: type('string').pipe(Number) }), [
      'date',
      'big',
      'changed',
    ])
    expectAnything(
      toStandardJsonSchema(
        v.object({
          a: v.pipe(
            v.string(),
            v.trim(),
            v.check(() => true),
          ),
          date: v.date(),
          own: v.custom(isOdd),
          changed: v.pipe(v.string(), v.transform(Number)),
          mapped: v.pipe(v.array(v.string()), v.mapItems(Number)),
          dated: v.pipe(v.string(), v.toDate()),
        }),
      ),
      ['date', 'own', 'changed', 'mapped', 'dated'],
    )
  })

  it('keeps the input type of Valibot before a transform', () => {
    const schema = toStandardJsonSchema(v.pipe(v.array(v.string()), v.mapItems(Number)))
    expect(toJsonSchema(schema, 'input')).toMatchObject({ type: 'array', items: { type: 'string' } })
  })

  it('distinguishes loose objects of Valibot from objects that drop unknown members', () => {
    expect(toJsonSchema(toStandardJsonSchema(v.looseObject({})), 'input')).toHaveProperty('additionalProperties', true)
    expect(toJsonSchema(toStandardJsonSchema(v.object({})), 'input')).not.toHaveProperty('additionalProperties')
  })

  it('supports older versions of ArkType', () => {
    const { in: input, out: output, '~standard': standard } = type({ a: 'string', date: 'Date' })
    const { version, vendor, validate } = standard
    const properties = { a: { type: 'string' }, date: {} }
    const older = { in: input, out: output, '~standard': { version, vendor, validate } }
    expect(toJsonSchema(older, 'input')).toMatchObject({ properties })
    const throws = (): never => {
      throw new Error('dates cannot be said')
    }
    const throwing = { ...older['~standard'], jsonSchema: { input: throws, output: throws } }
    expect(toJsonSchema({ ...older, '~standard': throwing }, 'output')).toMatchObject({ properties })
  })

  it.each([
    ['Valibot without its converter', v.object({ a: v.string() })],
    ['Zod Mini', mini.object({ a: mini.string() })],
    [
      'a library without JSON Schema',
      { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } },
    ],
    [
      'a schema that throws when it is read',
      z.object({
        a: z.string().default(() => {
          throw new Error('not now')
        }),
      }),
    ],
  ] as const)('returns null for %s', (_, schema) => {
    expect(toJsonSchema(schema, 'input')).toBeNull()
  })
})
