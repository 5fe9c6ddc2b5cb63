import { type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validate, type ErrorDetail, type Schema } from './index.ts'

/** Returns the issues of a value, in an order that does not depend on the library. */
function issuesOf(schema: Schema, value: unknown): ErrorDetail[] {
  const result = validate(schema, value)
  if (result instanceof Promise) throw new Error('the schema is asynchronous')
  return result.ok ? [] : result.details.toSorted((one, other) => (one.code < other.code ? -1 : 1))
}

/** Returns the schemas of a field `a` in three libraries. */
function field(ofZod: z.ZodType, ofValibot: v.GenericSchema, ofArktype: Schema): Record<string, Schema> {
  return { zod: z.object({ a: ofZod }), valibot: v.object({ a: ofValibot }), arktype: ofArktype }
}

const start = new Date('2020-01-01')
const end = new Date('2020-02-01')
const toDate = v.transform((text: string) => new Date(text))
const never = (): boolean => false

const FIELDS = {
  text: field(z.string(), v.string(), type({ a: 'string' })),
  number: field(z.number(), v.number(), type({ a: 'number' })),
  boolean: field(z.boolean(), v.boolean(), type({ a: 'boolean' })),
  integer: field(z.int(), v.pipe(v.number(), v.integer()), type({ a: 'number.integer' })),
  list: field(z.array(z.string()), v.array(v.string()), type({ a: 'string[]' })),
  object: field(z.object({}), v.object({}), type({ a: 'object' })),
  one: field(z.literal('p'), v.literal('p'), type({ a: "'p'" })),
  two: field(z.enum(['p', 'q']), v.picklist(['p', 'q']), type({ a: "'p' | 'q'" })),
  many: field(z.literal([1, 'p', 'q']), v.picklist([1, 'p', 'q']), type({ a: "1 | 'p' | 'q'" })),
  title: field(
    z.string().min(1).max(3),
    v.pipe(v.string(), v.minLength(1), v.maxLength(3)),
    type({ a: '1 <= string <= 3' }),
  ),
  exact: field(z.string().length(3), v.pipe(v.string(), v.length(3)), type({ a: 'string == 3' })),
  tags: field(
    z.array(z.number()).nonempty().max(2),
    v.pipe(v.array(v.number()), v.nonEmpty(), v.maxLength(2)),
    type({ a: '0 < number[] <= 2' }),
  ),
  range: field(
    z.number().min(3).max(5),
    v.pipe(v.number(), v.minValue(3), v.maxValue(5)),
    type({ a: '3 <= number <= 5' }),
  ),
  open: field(z.number().gt(3).lt(5), v.pipe(v.number(), v.gtValue(3), v.ltValue(5)), type({ a: '3 < number < 5' })),
  query: field(
    z.coerce.number().min(3),
    v.pipe(v.string(), v.transform(Number), v.minValue(3)),
    type({ a: 'string.numeric.parse |> number >= 3' }),
  ),
  date: field(
    z.coerce.date().min(start).max(end),
    v.pipe(v.string(), toDate, v.minValue(start), v.maxValue(end)),
    type({ a: type('string.date.parse').to("d'2020-01-01' <= Date <= d'2020-02-01'") }),
  ),
  email: field(z.email(), v.pipe(v.string(), v.email()), type({ a: 'string.email' })),
  day: field(z.iso.date(), v.pipe(v.string(), v.isoDate()), type({ a: /^\d{4}-\d\d-\d\d$/ })),
  json: field(z.string().refine(never), v.pipe(v.string(), v.check(never)), type({ a: 'string.json' })),
  uuid: field(z.uuid(), v.pipe(v.string(), v.uuid()), type({ a: 'string.uuid' })),
  timestamp: field(z.iso.datetime(), v.pipe(v.string(), v.isoTimestamp()), type({ a: 'string.date.iso' })),
  pattern: field(z.string().regex(/^a$/), v.pipe(v.string(), v.regex(/^a$/)), type({ a: /^a$/ })),
  prefix: field(z.string().startsWith('q'), v.pipe(v.string(), v.startsWith('q')), type({ a: /^q/ })),
  multiple: field(z.number().multipleOf(5), v.pipe(v.number(), v.multipleOf(5)), type({ a: 'number % 5' })),
  union: field(z.union([z.string(), z.number()]), v.union([v.string(), v.number()]), type({ a: 'string | number' })),
  own: field(
    z.string().refine(never),
    v.pipe(v.string(), v.check(never)),
    type({ a: type('string').narrow((_, ctx) => ctx.mustBe('nice')) }),
  ),
}

type Case<Expected> = [field: keyof typeof FIELDS, value: unknown, expected: Expected]

/** Issues with the same message in all three libraries. */
const SAME_DETAIL: Case<object>[] = [
  ['text', undefined, { code: 'REQUIRED', message: 'is required' }],
  ['text', 1, { code: 'INVALID_TYPE', message: 'must be a string' }],
  ['text', null, { code: 'INVALID_TYPE', message: 'must be a string' }],
  ['number', '1', { code: 'INVALID_TYPE', message: 'must be a number' }],
  ['boolean', 'x', { code: 'INVALID_TYPE', message: 'must be a boolean' }],
  ['integer', 1.5, { code: 'INVALID_TYPE', message: 'must be an integer' }],
  ['list', 'x', { code: 'INVALID_TYPE', message: 'must be an array' }],
  ['object', 'x', { code: 'INVALID_TYPE', message: 'must be an object' }],
  ['one', 'x', { code: 'INVALID_VALUE', message: 'must be "p"', allowed: ['p'] }],
  ['two', 'x', { code: 'INVALID_VALUE', message: 'must be one of "p", "q"', allowed: ['p', 'q'] }],
  ['many', 'x', { code: 'INVALID_VALUE', message: 'must be one of 1, "p", "q"', allowed: [1, 'p', 'q'] }],
  ['title', '', { code: 'TOO_SHORT', message: 'must have at least 1 character', min: 1 }],
  ['title', 'wxyz', { code: 'TOO_LONG', message: 'must have at most 3 characters', max: 3 }],
  ['exact', 'x', { code: 'TOO_SHORT', message: 'must have at least 3 characters', min: 3 }],
  ['exact', 'wxyz', { code: 'TOO_LONG', message: 'must have at most 3 characters', max: 3 }],
  ['tags', [], { code: 'TOO_SHORT', message: 'must have at least 1 item', min: 1 }],
  ['tags', [1, 2, 3], { code: 'TOO_LONG', message: 'must have at most 2 items', max: 2 }],
  ['range', 2, { code: 'TOO_SMALL', message: 'must be at least 3', min: 3 }],
  ['range', 6, { code: 'TOO_LARGE', message: 'must be at most 5', max: 5 }],
  ['open', 3, { code: 'TOO_SMALL', message: 'must be more than 3', min: 3 }],
  ['open', 5, { code: 'TOO_LARGE', message: 'must be less than 5', max: 5 }],
  ['query', '1', { code: 'TOO_SMALL', message: 'must be at least 3', min: 3 }],
  ['date', '2000-01-01', { code: 'TOO_SMALL', message: `must be at least ${start.toJSON()}`, min: start.toJSON() }],
  ['date', '2030-01-01', { code: 'TOO_LARGE', message: `must be at most ${end.toJSON()}`, max: end.toJSON() }],
  ['email', 'SECRET', { code: 'INVALID_FORMAT', message: 'must be an email address' }],
  ['timestamp', 'SECRET', { code: 'INVALID_FORMAT', message: 'must be a date and time, such as 2026-01-31T10:00:00Z' }],
]

/** Issues with the same code in all three libraries, but with the message of the library. */
const SAME_CODE: Case<string>[] = [
  ['uuid', 'SECRET', 'INVALID_FORMAT'],
  ['day', 'SECRET', 'INVALID_FORMAT'],
  ['pattern', 'SECRET', 'INVALID_FORMAT'],
  ['prefix', 'SECRET', 'INVALID_FORMAT'],
  ['multiple', 3, 'INVALID_VALUE'],
  ['union', true, 'INVALID_VALUE'],
  ['own', 'SECRET', 'INVALID_VALUE'],
  ['json', 'SECRET', 'INVALID_VALUE'],
]

/** Returns the issues of a field by library. */
function issuesByLibrary(name: keyof typeof FIELDS, value: unknown): [library: string, details: ErrorDetail[]][] {
  return Object.entries(FIELDS[name]).map(([library, schema]) => [
    library,
    issuesOf(schema, value === undefined ? {} : { a: value }),
  ])
}

describe('issues of validate', () => {
  it.each(SAME_DETAIL)('are the same in zod, valibot and arktype: %s, %j', (name, value, detail) => {
    for (const [library, details] of issuesByLibrary(name, value))
      expect({ library, details }).toEqual({ library, details: [{ ...detail, source: 'body', pointer: '/a' }] })
  })

  it.each(SAME_CODE)('have the same code in all three and do not contain the value: %s, %j', (name, value, code) => {
    for (const [library, details] of issuesByLibrary(name, value)) {
      expect({ library, details }).toEqual({
        library,
        details: [{ code, message: expect.not.stringMatching(/SECRET|was|received/i), source: 'body', pointer: '/a' }],
      })
    }
  })

  it('name each unknown field separately', () => {
    const unknown = (pointer: string): object => ({
      code: 'UNKNOWN_FIELD',
      message: 'is not a known field',
      source: 'body',
      pointer,
    })
    const value = { a: 'x', 'b/c': 1, '~d': 2 }
    expect(issuesOf(z.strictObject({ a: z.string() }), value)).toEqual([unknown('/b~1c'), unknown('/~0d')])
    expect(issuesOf(type({ '+': 'reject', a: 'string' }), value)).toEqual([unknown('/b~1c'), unknown('/~0d')])
    // valibot stops at the first.
    expect(issuesOf(v.strictObject({ a: v.string() }), value)).toEqual([unknown('/b~1c')])
  })

  it('distinguish a value that is not an object from unknown fields', () => {
    const detail = { code: 'INVALID_TYPE', message: 'must be an object', source: 'body', pointer: '' }
    for (const schema of [
      z.strictObject({ a: z.string() }),
      v.strictObject({ a: v.string() }),
      type({ '+': 'reject', a: 'string' }),
    ]) {
      expect(issuesOf(schema, 7)).toEqual([detail])
      expect(issuesOf(schema, undefined)).toEqual([detail])
    }
  })

  it('are all reported, even several of one field', () => {
    const schemas = [
      z.object({ a: z.string().min(3).regex(/^a/), b: z.number() }),
      v.object({ a: v.pipe(v.string(), v.minLength(3), v.regex(/^a/)), b: v.number() }),
      type({ a: type('string >= 3').and(/^a/), b: 'number' }),
    ]
    for (const schema of schemas)
      expect(issuesOf(schema, { a: 'x' })).toMatchObject([
        { code: 'INVALID_FORMAT', pointer: '/a' },
        { code: 'REQUIRED', pointer: '/b' },
        { code: 'TOO_SHORT', pointer: '/a', min: 3 },
      ])
  })

  it('list the allowed values of a discriminator', () => {
    const schemas = [
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
      v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b') })]),
      type({ k: "'a'", 'x?': 'string' }).or({ k: "'b'", 'y?': 'number' }),
    ]
    for (const schema of schemas)
      expect(issuesOf(schema, { k: 'c' })).toEqual([
        {
          code: 'INVALID_VALUE',
          message: 'must be one of "a", "b"',
          source: 'body',
          pointer: '/k',
          allowed: ['a', 'b'],
        },
      ])
  })

  it('keep the custom messages of a schema', () => {
    const schemas = [
      z.object({ a: z.string('Tell us its name').min(1, 'Give it a title') }),
      v.object({ a: v.pipe(v.string('Tell us its name'), v.minLength(1, 'Give it a title')) }, 'Tell us its name'),
    ]
    for (const schema of schemas) {
      expect(issuesOf(schema, { a: '' })).toMatchObject([{ code: 'TOO_SHORT', message: 'Give it a title', min: 1 }])
      expect(issuesOf(schema, { a: 7 })).toMatchObject([{ code: 'INVALID_TYPE', message: 'Tell us its name' }])
      expect(issuesOf(schema, {})).toMatchObject([{ code: 'REQUIRED', message: 'Tell us its name' }])
    }
    for (const message of ['Use the address that you have at work', 'Invalid address: use the one at work'])
      expect(issuesOf(z.email(message), 'x')).toMatchObject([{ code: 'INVALID_FORMAT', message }])
    expect(
      issuesOf(
        z.string().refine(() => false, 'The sum was not received yet'),
        'x',
      ),
    ).toMatchObject([{ code: 'INVALID_VALUE', message: 'The sum was not received yet' }])
  })

  it('contain only limits and values that JSON can represent', () => {
    const found = [
      ...issuesOf(z.literal([1n, 2n]), 'x'),
      ...issuesOf(z.bigint().min(5n), 1n),
      ...issuesOf(v.pipe(v.bigint(), v.minValue(5n)), 1n),
    ]
    expect(found).toMatchObject([
      { allowed: ['1', '2'] },
      { code: 'TOO_SMALL', min: '5' },
      { code: 'TOO_SMALL', min: '5' },
    ])
    expect(() => JSON.stringify(found)).not.toThrow()
  })

  it('have valid codes and pointers for any value', () => {
    const schemas = [
      z.strictObject({ a: z.array(z.enum(['p'])).length(2), b: z.union([z.email(), z.int().gt(3)]) }),
      v.strictObject({
        a: v.pipe(v.array(v.picklist(['p'])), v.length(2)),
        b: v.union([v.pipe(v.string(), v.email()), v.number()]),
      }),
      type({ '+': 'reject', a: "'p'[] == 2", b: 'string.email | number.integer > 3' }),
    ]
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({ a: fc.jsonValue(), b: fc.jsonValue(), c: fc.jsonValue() }, { requiredKeys: [] }),
    )
    fc.assert(
      fc.property(value, (given) => {
        for (const schema of schemas)
          for (const detail of issuesOf(schema, given)) {
            expect(detail.code).toMatch(/^[A-Z_]+$/)
            expect(detail.pointer).toMatch(/^(\/[^/]*)*$/)
          }
      }),
    )
  })
})
