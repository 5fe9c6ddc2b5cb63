import { type } from 'arktype'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { invalidRequest, MAX_DETAILS, toPointer, validate, type ErrorDetail, type Schema } from './index.ts'

/** Returns the issues of a value, in an order that does not depend on the library. */
function issuesOf(schema: Schema, value: unknown): ErrorDetail[] {
  const result = validate(schema, value)
  if (result instanceof Promise) throw new Error('the schema is asynchronous')
  return result.ok ? [] : result.details.toSorted((one, other) => (one.code < other.code ? -1 : 1))
}

/** Creates a schema with only the members that the standard requires. */
function bare(...issues: { message: string; path?: (PropertyKey | { key: PropertyKey })[] }[]): Schema {
  return { '~standard': { version: 1, vendor: 'bare', validate: () => ({ issues }) } }
}

describe('validate', () => {
  it('returns pointers into nested lists', () => {
    const schemas = [
      z.object({ a: z.array(z.object({ b: z.array(z.number()) })) }),
      v.object({ a: v.array(v.object({ b: v.array(v.number()) })) }),
      type({ a: type({ b: 'number[]' }).array() }),
    ]
    for (const schema of schemas) {
      expect(issuesOf(schema, { a: [{ b: [1] }, { b: [1, 'x'] }] })).toMatchObject([
        { code: 'INVALID_TYPE', pointer: '/a/1/b/1' },
      ])
      expect(issuesOf(schema, { a: [{ b: [1] }, {}] })).toMatchObject([{ code: 'REQUIRED', pointer: '/a/1/b' }])
    }
  })

  it('returns the output of the schema', async () => {
    expect(await validate(z.object({ a: z.string().default('x') }), {})).toEqual({ ok: true, value: { a: 'x' } })
    expect(await validate(v.pipe(v.string(), v.transform(Number)), '7')).toEqual({ ok: true, value: 7 })
    expect(await validate(type('string.integer.parse'), '7')).toEqual({ ok: true, value: 7 })
  })

  it('accepts schemas that are functions, as in arktype', () => {
    const schema = type({ a: 'string' })
    expect(typeof schema).toBe('function')
    expect(validate(schema, { a: 'x' })).toEqual({ ok: true, value: { a: 'x' } })
  })

  it('returns a promise only for an asynchronous schema', async () => {
    const isFree = async (name: string): Promise<boolean> => Promise.resolve(name !== 'taken')
    const schemas = [
      z.object({ a: z.string().refine(isFree, 'is taken') }),
      v.objectAsync({ a: v.pipeAsync(v.string(), v.checkAsync(isFree, 'is taken')) }),
    ]
    for (const schema of schemas) {
      const result = validate(schema, { a: 'taken' })
      expect(result).toBeInstanceOf(Promise)
      expect(await result).toEqual({
        ok: false,
        details: [{ code: 'INVALID_VALUE', message: 'is taken', source: 'body', pointer: '/a' }],
      })
      expect(await validate(schema, { a: 'free' })).toEqual({ ok: true, value: { a: 'free' } })
    }
    expect(validate(z.string(), 'x')).not.toBeInstanceOf(Promise)
  })

  it('rejects with the error of an asynchronous schema', async () => {
    const schema = v.pipeAsync(
      v.string(),
      v.checkAsync(() => Promise.reject(new Error('database down'))),
    )
    await expect(validate(schema, 'x')).rejects.toThrow('database down')
  })

  it('sets `name` instead of `pointer` outside of bodies', async () => {
    const schema = z.object({ limit: z.coerce.number().max(100), 'priority[in]': z.string().optional() })
    expect(await validate(schema, { limit: '101' }, 'query')).toEqual({
      ok: false,
      details: [{ code: 'TOO_LARGE', message: 'must be at most 100', source: 'query', name: 'limit', max: 100 }],
    })
  })

  it('returns INVALID_VALUE for a library that only has message and path', () => {
    const schema = bare(
      { message: 'is odd', path: ['a', { key: 0 }] },
      { message: 'is bad' },
      { message: 'missing', path: ['b'] },
    )
    expect(issuesOf(schema, { a: [1] })).toEqual([
      { code: 'INVALID_VALUE', message: 'is odd', source: 'body', pointer: '/a/0' },
      { code: 'INVALID_VALUE', message: 'is bad', source: 'body', pointer: '' },
      { code: 'REQUIRED', message: 'missing', source: 'body', pointer: '/b' },
    ])
  })

  it('ignores additional members of an unknown library', () => {
    const issue = {
      message: 'x',
      code: { deep: 1 },
      keys: 'none',
      errors: 5,
      expected: {},
      problem: 7,
      code_: 'intersection',
    }
    expect(issuesOf(bare(issue), 1)).toEqual([{ code: 'INVALID_VALUE', message: 'x', source: 'body', pointer: '' }])
  })

  it('keeps at most 100 issues', () => {
    const many = Array.from({ length: 150 }, () => 'x')
    const unknown = Object.fromEntries(many.map((value, index) => [`k${index}`, value]))
    for (const schema of [z.array(z.number()), v.array(v.number()), type('number[]')])
      expect(issuesOf(schema, many)).toHaveLength(MAX_DETAILS)
    expect(issuesOf(z.strictObject({}), unknown)).toHaveLength(MAX_DETAILS)
  })
})

describe('invalidRequest', () => {
  const detail = (members: Partial<ErrorDetail>): ErrorDetail => ({
    code: 'TOO_LONG',
    message: 'is too long',
    ...members,
  })

  it('describes the first issue and contains all of them', () => {
    const details = [detail({ source: 'body', pointer: '/tags/0' }), detail({ source: 'query', name: 'limit' })]
    expect(invalidRequest(details)).toMatchObject({
      code: 'INVALID_REQUEST',
      status: 400,
      message: 'tags.0 is too long (and 1 more)',
      details,
    })
  })

  it.each([
    [detail({ source: 'query', name: 'limit' }), 'limit is too long'],
    [detail({ source: 'body', pointer: '' }), 'body is too long'],
    [detail({}), 'request is too long'],
    [detail({ source: 'body', pointer: '/a', message: 'Give it a title' }), 'a: Give it a title'],
  ])('describes %j as %s', (given, message) => {
    expect(invalidRequest([given]).message).toBe(message)
  })

  it('has a default message without details', () => {
    expect(invalidRequest([])).toMatchObject({ message: 'the request is invalid', details: [] })
  })
})

describe('toPointer', () => {
  it('returns a JSON pointer (RFC 6901)', () => {
    expect(toPointer([])).toBe('')
    expect(toPointer(['a', 0, ''])).toBe('/a/0/')
    expect(toPointer(['a/b', 'm~n', '~1'])).toBe('/a~1b/m~0n/~01')
  })

  it('returns a pointer that can be parsed back', () => {
    const read = (pointer: string): string[] =>
      pointer
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    fc.assert(
      fc.property(fc.array(fc.string()), (keys) => {
        expect(read(toPointer(keys))).toEqual(keys)
      }),
    )
  })
  it('truncates a long key', () => {
    const [short, long] = ['k'.repeat(256), 'k'.repeat(1_000_000)]
    expect(toPointer([short, 'a'])).toBe(`/${short}/a`)
    expect(toPointer([long, 'a'])).toBe(`/${short}…/a`)
    const lists = z.record(z.string(), z.array(z.string()))
    const details = issuesOf(lists, { [long]: Array(200).fill(1) })
    expect(details).toHaveLength(MAX_DETAILS)
    expect(JSON.stringify(invalidRequest(details)).length).toBeLessThan(100_000)
  })
})
