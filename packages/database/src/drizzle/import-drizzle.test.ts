import { PgDialect } from 'drizzle-orm/pg-core'
import type { SQL } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importDrizzle } from './import-drizzle.ts'
import { quoteIdent } from '../table-layout.ts'

describe('importDrizzle', () => {
  it('converts any text to Drizzle SQL and finds no parameters in names and strings', async () => {
    const { toQuery } = await importDrizzle()
    const value = fc.oneof(fc.string(), fc.constant(null), fc.array(fc.string()))
    const name = fc.oneof(fc.string(), fc.constantFrom('$1', 'a"$2', "it's", '""'))
    const pieces = fc.array(fc.record({ name, value, text: fc.constantFrom(`'$1'`, `''`, `'it''s'`, ' > ', '$$') }))
    fc.assert(
      fc.property(pieces, (list) => {
        const text = list.map((piece, index) => `${quoteIdent(piece.name)} = $${index + 1}${piece.text}`).join(' and ')
        const values = list.map((piece) => piece.value)
        expect(new PgDialect().sqlToQuery(toQuery({ text, values }) as SQL)).toMatchObject({
          sql: text,
          params: values,
        })
      }),
    )
  })

  it('passes a parameter at each of its positions', async () => {
    const { toQuery } = await importDrizzle()
    const query = toQuery({ text: 'select $2, $1, $2', values: ['a', 'b'] }) as SQL
    expect(new PgDialect().sqlToQuery(query)).toMatchObject({ sql: 'select $1, $2, $3', params: ['b', 'a', 'b'] })
  })

  it('throws if the value is not a table', async () => {
    const { columnsOf } = await importDrizzle()
    expect(() => columnsOf({})).toThrow('pgTable')
  })
})
