import type { Schema } from '@sdk/protocol'
import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createResource } from '../define/resource.ts'
import { appOf, type Send } from './app.test.fixture.ts'
import { memoryStore } from './memory-store.ts'
import type { Fields, ResourceShape, Store } from '../define/store.ts'

/** Creates an app whose store contains `rows`, even if the schema rejects them. */
function appWith(schema: Schema, rows: readonly Fields[] = []): Send {
  const store = (shape: ResourceShape): Store => {
    const inner = memoryStore()(shape)
    for (const row of rows) void inner.create?.(row)
    return inner
  }
  return appOf(createResource('things', { schema, store, access: 'public' }))
}

describe('a body', () => {
  it('unsets an optional coerced field with null', async () => {
    const send = appWith(z.object({ d: z.coerce.date().optional(), title: z.string() }))
    const { body } = await send('POST /things', { body: { title: 'a', d: null } })
    expect(body).toMatchObject({ id: 1, d: null })
    expect(await send('PATCH /things/1', { body: { d: '2026-01-31T00:00:00Z' } })).toMatchObject({ status: 200 })
    expect((await send('PATCH /things/1', { body: { d: null } })).body).toMatchObject({ d: null })
    expect((await send('PUT /things/1', { body: { title: 'b', d: null } })).body).toMatchObject({ d: null })
  })

  it('is accepted if only the stored row has unknown members', async () => {
    const meta = z.object({ a: z.number().optional(), inner: z.object({ b: z.number() }).optional() })
    const send = appWith(z.object({ title: z.string(), meta }), [
      { title: 'a', meta: { old: 1, inner: { b: 1, c: 2 } } },
    ])
    expect(await send('PATCH /things/1', { body: { title: 'b' } })).toMatchObject({ status: 200, body: { title: 'b' } })
    expect(await send('PATCH /things/1', { body: { meta: { a: 1 } } })).toMatchObject({ status: 200 })
    expect((await send('PATCH /things/1', { body: { meta: { nope: 1 } } })).faults).toEqual([
      'UNKNOWN_FIELD /meta/nope',
    ])
  })

  it('is accepted if only the stored row has invalid values', async () => {
    const schema = z.object({ size: z.int().max(5), title: z.string().min(2) })
    const send = appWith(schema, [{ size: 9, title: 'ab' }])
    expect(await send('PATCH /things/1', { body: { title: 'cd' } })).toMatchObject({
      status: 200,
      body: { size: 9, title: 'cd' },
    })
    expect((await send('PATCH /things/1', { body: { title: 'c' } })).faults).toEqual(['TOO_SHORT /title'])
    expect((await send('PATCH /things/1', { body: { size: 8 } })).faults).toEqual(['TOO_LARGE /size'])
    expect((await send('PATCH /things/1', { body: { title: null } })).faults).toEqual(['REQUIRED /title'])
    expect((await send('PUT /things/1', { body: { title: 'cd', size: 9 } })).faults).toEqual(['TOO_LARGE /size'])
  })

  it.each([
    ['zod', z.object({ size: z.int().max(5), title: z.string().trim(), rank: z.coerce.number().default(3) })],
    ['arktype', type({ size: 'number <= 5', title: 'string.trim', rank: 'number' })],
  ])('is transformed by the schema next to invalid stored values: %s', async (_, schema) => {
    const send = appWith(schema, [{ size: 9, title: 'ab', rank: 1 }])
    expect((await send('PATCH /things/1', { body: { title: ' c ', rank: 7 } })).body).toMatchObject({
      size: 9,
      title: 'c',
      rank: 7,
    })
    expect((await send('PATCH /things/1', { body: { rank: 'x' } })).faults).toEqual(['INVALID_TYPE /rank'])
  })

  it('resets a field to its default with null, next to invalid stored values', async () => {
    const rank = z.int().default(3)
    const send = appWith(z.object({ size: z.int().max(5), rank }), [{ size: 9, rank: 1 }])
    expect((await send('PATCH /things/1', { body: { rank: null } })).body).toMatchObject({ size: 9, rank: 3 })
  })

  it('is rejected if it makes another field invalid', async () => {
    const schema = z
      .object({ from: z.int(), to: z.int() })
      .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' })
    const send = appWith(schema, [{ from: 1, to: 5 }])
    expect((await send('PATCH /things/1', { body: { from: 7 } })).faults).toEqual(['INVALID_VALUE /to'])
  })

  it('can contain a time in the form of the schema or in an equivalent form', async () => {
    const send = appWith(z.object({ at: z.iso.datetime({ precision: 0 }).optional(), on: z.iso.datetime().optional() }))
    const body = { at: '2026-01-31T10:00:00Z', on: '2026-01-31T10:00:00.5+02:00' }
    expect((await send('POST /things', { body })).body).toMatchObject({
      at: '2026-01-31T10:00:00.000Z',
      on: '2026-01-31T08:00:00.500Z',
    })
    expect((await send('POST /things', { body: { on: 'soon' } })).faults).toEqual(['INVALID_FORMAT /on'])
    expect(await send('PUT /things/1', { body: (await send('GET /things/1')).body })).toMatchObject({ status: 200 })
    expect((await send('PATCH /things/1', { body: { on: '2026-02-01T00:00:00+01:00' } })).body).toMatchObject({
      at: '2026-01-31T10:00:00.000Z',
      on: '2026-01-31T23:00:00.000Z',
    })
  })

  it('can contain a field named like a property of Object.prototype', async () => {
    const send = appWith(z.object({ constructor: z.string().optional(), toString: z.int().default(3) }))
    expect((await send('POST /things', { body: {} })).body).toMatchObject({ constructor: null, toString: 3 })
    expect((await send('PATCH /things/1', { body: { constructor: 'x' } })).body).toMatchObject({
      constructor: 'x',
      toString: 3,
    })
  })

  it('is rejected with at most 100 issues', async () => {
    const send = appWith(z.object({ meta: z.object({}) }))
    const many = Object.fromEntries(Array.from({ length: 112_000 }, (_, n) => [n.toString(36), 1]))
    expect((await send('POST /things', { body: { meta: many } })).faults).toHaveLength(100)
    expect((await send('POST /things', { body: many })).faults).toHaveLength(100)
  })

  it('is rejected for unknown members in ArkType schemas, too', async () => {
    const schema = type({ title: 'string', 'meta?': { a: 'number' } })
    const send = appOf(createResource('things', { schema, store: memoryStore(), access: 'public' }))
    expect((await send('POST /things', { body: { title: 'a', meta: { a: 1, b: 2 } } })).faults).toEqual([
      'UNKNOWN_FIELD /meta/b',
    ])
    expect(await send('POST /things', { body: { title: 'a', meta: { a: 1 } } })).toMatchObject({ status: 201 })
  })
})

describe('assign', () => {
  it('fails with 500 if it returns a value that the schema rejects', async () => {
    const lines: string[] = []
    const send = appOf(
      createResource('things', {
        schema: z.object({ size: z.int().max(5), title: z.string() }),
        store: memoryStore(),
        access: 'public',
        assign: () => ({ size: 9 }),
      }),
      {},
      lines,
    )
    expect(await send('POST /things', { body: { title: 'a' } })).toMatchObject({ status: 500, faults: [] })
    expect(lines.join()).toContain('assign returned an invalid value: size must be at most 5')
  })

  it('keeps the value of an existing row, even if the schema now rejects it', async () => {
    const store = (shape: ResourceShape): Store => {
      const inner = memoryStore()(shape)
      void inner.create?.({ size: 9, title: 'a' })
      return inner
    }
    const schema = z.object({ size: z.int().max(5), title: z.string() })
    const send = appOf(createResource('things', { schema, store, access: 'public', assign: () => ({ size: 1 }) }))
    expect((await send('PUT /things/1', { body: { title: 'b' } })).body).toMatchObject({ size: 9, title: 'b' })
  })
})
