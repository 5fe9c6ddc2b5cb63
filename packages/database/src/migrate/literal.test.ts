import { DATABASE_KINDS } from '@sdk/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../index.ts'
import { toDefaultLiteral } from './literal.ts'

describe('toDefaultLiteral', () => {
  it.each([
    { type: 'string', default: 5 },
    { type: 'string', default: 'a\0b' },
    { type: 'integer', default: 1.5 },
    { type: 'integer', default: 2 ** 53 },
    { type: 'integer', default: '1); drop table tasks; --' },
    { type: 'number', default: Number.NaN },
    { type: 'number', default: Number.POSITIVE_INFINITY },
    { type: 'boolean', default: 'true' },
    { type: 'timestamp', default: 'now' },
    { type: 'timestamp', default: '2026-13-01T00:00:00Z' },
    { type: 'date', default: 'infinity' },
    { type: 'json', default: { a: '\0' } },
    { type: 'json', default: '\uD800' },
    { type: 'string', default: null },
    { type: 'string' },
  ] as const)('returns null for $type with the default $default', (field) => {
    expect(toDefaultLiteral(field)).toBeNull()
  })

  for (const { kind, isHere, open } of DATABASE_KINDS) {
    describe.skipIf(!isHere)(`on ${kind}`, () => {
      let database: Database
      beforeAll(async () => {
        database = await open(openDatabase)
        await database.ready()
      })
      afterAll(() => database.close())

      const text = fc.string({
        unit: fc.oneof(
          fc.constantFrom("'", '"', '\\', '$1', '$$', '--', '\n', ';'),
          fc.string({ unit: 'grapheme', maxLength: 3 }),
        ),
      })

      it.each(['on', 'off'])('represents any text with standard_conforming_strings %s', async (setting) => {
        await fc.assert(
          fc.asyncProperty(text, async (value) => {
            const literal = toDefaultLiteral({ type: 'string', default: value })
            fc.pre(literal !== null)
            const found = await database.transaction(async (transaction) => {
              await transaction.query(`set local standard_conforming_strings = ${setting}`)
              return transaction.query(`select ${literal} as value`)
            })
            expect(found).toEqual([{ value }])
          }),
          { numRuns: 60 },
        )
      })

      it('represents any number and any JSON', async () => {
        const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
        await fc.assert(
          fc.asyncProperty(number, fc.jsonValue(), async (value, json) => {
            const [one, two] = [
              toDefaultLiteral({ type: 'number', default: value }),
              toDefaultLiteral({ type: 'json', default: json }),
            ]
            fc.pre(two !== null)
            const [found] = await database.query(`select (${one})::double precision as one, (${two})::text as two`)
            expect(found?.['one']).toBe(value)
            expect(JSON.parse(found?.['two'] as string)).toEqual(JSON.parse(JSON.stringify(json)))
          }),
          { numRuns: 60 },
        )
      })
    })
  }
})
