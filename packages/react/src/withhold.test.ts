import { describe, expect, it } from 'vitest'
import { withhold } from './withhold.ts'

interface Row {
  id: number
  title?: string
}
type Change = (old: never) => unknown

const page = (...data: (Row | null)[]): object => ({ data, pagination: { hasMore: false } })
const pages = (...all: object[]): object => ({ pages: all, pageParams: all.map((_, index) => index) })
const run = (base: unknown, data: unknown, ...changes: Change[]): unknown =>
  withhold(data, { base, changes: new Set(changes as ((old: unknown) => unknown)[]) })

const [one, two, three, four] = [1, 2, 3, 4].map((id) => ({ id })) as [Row, Row, Row, Row]
const edit: Change = ({ data, ...rest }: { data: Row[] }) => ({
  ...rest,
  data: data.map((row) => (row.id === 1 ? { ...row, title: `${row.title ?? ''}!` } : row)),
})
const add: Change = ({ data, ...rest }: { data: Row[] }) => ({ ...rest, data: [{ id: -1 }, ...data] })
const remove: Change = ({ data, ...rest }: { data: Row[] }) => ({ ...rest, data: data.filter(({ id }) => id !== 1) })

describe('withhold', () => {
  it('keeps the rows that the changes affect, and returns all others', () => {
    const next = page({ id: 2, title: 'new' }, { id: 1, title: '!' }, three)
    expect(run(page(one, two), next, edit)).toEqual(page({ id: 2, title: 'new' }, one, three))
    expect(run(page(one, two), page(three), remove)).toEqual(page(three))
    expect(run(page(one, two), page(one, three), remove)).toEqual(page(one, three))
  })

  it('leaves out new rows while the changes add rows', () => {
    const next = page(four, { id: 1, title: '!' }, { id: 2, title: 'new' }, three)
    expect(run(page(one, two), next, add, edit)).toEqual(page(one, { id: 2, title: 'new' }))
    expect(run(page(), page(four), add)).toEqual(page())
  })

  it('keeps a row that moves to another page, and shows pages that were fetched in the meantime', () => {
    const all = ({ pages: [first, ...others], ...rest }: { pages: { data: Row[] }[] }): unknown => ({
      ...rest,
      pages: [{ ...first, data: [{ id: -1 }, ...(first?.data ?? [])] }, ...others],
    })
    const next = pages(page(four, one), page(two, three))
    expect(run(pages(page(one, two), page(three)), next, all)).toEqual(pages(page(one), page(two, three)))
    expect(run(pages(page(one)), pages(page(four), page(one, two)), all)).toEqual(pages(page(), page(one, two)))
  })

  it.each([
    ['a row', one, { id: 1, title: '!' }],
    ['a number', 1, 2],
    ['null', null, page(one)],
    ['a page with other items', page(null), page(null, null)],
    ['an object with data', { data: one }, { data: two }],
    ['pages in a custom format', pages({ items: [one] }), pages({ items: [two] })],
  ])('keeps %s', (_name, base, next) => {
    expect(run(base, next, (old) => old)).toBe(base)
  })
})
