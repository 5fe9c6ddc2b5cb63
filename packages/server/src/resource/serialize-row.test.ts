import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createItemMapper, createRowSerializer } from './serialize-row.ts'
import type { Field } from '../define/store.ts'

describe('createRowSerializer', () => {
  const fields = ['title', 'meta', 'missing'].map((name): Field => ({ name, type: 'json', isNullable: true }))
  const shape = { name: 'things', fields, filter: [], sort: [], unique: [] }
  const own = { id: 7, createdAt: '2026-01-31T10:00:00.000Z', updatedAt: '2026-01-31T10:00:00.000Z', version: 1 }
  const [toItem, toText] = [createItemMapper({ shape }), createRowSerializer({ shape })]

  it('returns the same text as JSON.stringify', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: codePoint }), fc.double(), fc.constant(undefined))
    fc.assert(
      fc.property(anything, anything, (title, meta) => {
        const row = { ...own, title, meta, ownerId: 'hidden' }
        expect(toText(row)).toBe(JSON.stringify(toItem(row)))
      }),
    )
  })

  it.each(['"', '\\', '\n', '\u0000', '\u2028', '\uD800', 'é', '', '</script>'])('escapes %j', (title) => {
    expect(toText({ ...own, title })).toBe(JSON.stringify(toItem({ ...own, title })))
  })
})
