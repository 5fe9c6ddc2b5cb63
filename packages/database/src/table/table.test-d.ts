import { describe, expectTypeOf, it } from 'vitest'
import { table, type TableOptions } from '../index.ts'

describe('table', () => {
  it('accepts the columns of fields, and types of assigned fields that can be compared', () => {
    table('notes', { columns: { label: 'title' }, assigned: { ownerId: 'string', dueOn: 'date' } })
    expectTypeOf<NonNullable<TableOptions['columns']>[string]>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<TableOptions['assigned']>[string]>().toEqualTypeOf<
      'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date'
    >()
    // @ts-expect-error -- values in a column of JSON cannot be compared
    table('notes', { assigned: { owner: 'json' } })
    // @ts-expect-error -- the type of a field, not of SQL
    table('notes', { assigned: { owner: 'text' } })
  })
})
