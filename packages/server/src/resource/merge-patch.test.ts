import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toFieldSchema } from '../define/resource-fields.ts'
import { mergePatch } from './merge-patch.ts'

const anything = { schema: {}, root: {} }

describe('mergePatch', () => {
  // The cases of RFC 7396, appendix A, whose target and patch are objects.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges %j and %j', (target, patch, result) => {
    expect(mergePatch(target, patch, anything)).toEqual(result)
  })

  it('sets nullable members to null and removes others, at every depth', () => {
    const { input } = toFieldSchema(
      z.object({
        notes: z.string().nullable(),
        title: z.string(),
        meta: z.object({ color: z.string().nullable(), size: z.number().optional() }).nullable(),
      }),
    )
    const before = { notes: 'a', title: 'b', meta: { color: 'red', size: 1 } }
    const place = { schema: input, root: input }
    expect(mergePatch(before, { notes: null, title: null }, place)).toEqual({ notes: null, meta: before.meta })
    expect(mergePatch(before, { meta: { color: null, size: null } }, place).meta).toEqual({ color: null })
    expect(mergePatch(before, { meta: null }, place).meta).toBeNull()
  })

  it('stays fast for deeply nested patches of recursive unions', () => {
    const block: z.ZodType = z.lazy(() =>
      z.union([
        z.object({ kind: z.literal('list'), first: block.optional() }),
        z.object({ kind: z.literal('quote'), first: block.nullable() }),
      ]),
    )
    const { input } = toFieldSchema(z.object({ text: block }))
    let patch: object = { first: null }
    for (let level = 0; level < 30; level++) patch = { first: patch }
    expect(mergePatch({}, { text: patch }, { schema: input, root: input })).toEqual({ text: patch })
  })

  it('does not modify the target', () => {
    const before = { meta: { a: 1 } }
    mergePatch(before, { meta: { a: 2 } }, anything)
    expect(before).toEqual({ meta: { a: 1 } })
  })
})
