import { codePoint } from '@sdk/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError, decodeCursor, encodeCursor, PAGE_LIMIT, toLinkHeader, type Cursor } from './index.ts'

const text = fc.string({ unit: codePoint })
const cursor: fc.Arbitrary<Cursor> = fc.record({
  list: text,
  direction: fc.constantFrom('next', 'prev'),
  after: fc.array(fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))),
})

/** Decodes a cursor, or returns the codes of the ApiError that it throws. */
function attempt(given: string, list = 'tasks'): unknown {
  try {
    return decodeCursor(given, list)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return {
      code: error.code,
      status: error.status,
      details: error.details.map((detail) => [detail.code, detail.source, detail.name]),
    }
  }
}

const refused = { code: 'INVALID_REQUEST', status: 400, details: [['INVALID_CURSOR', 'query', 'cursor']] }
const asCursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('encodeCursor and decodeCursor', () => {
  it('are inverse functions for any text and number', () => {
    fc.assert(
      fc.property(cursor, (position) => {
        const sent = encodeCursor(position)
        expect(sent).toMatch(/^[\w-]+$/)
        // `JSON.stringify` converts -0 to 0.
        expect(decodeCursor(sent, position.list)).toEqual({
          ...position,
          after: position.after.map((value) => (value === 0 ? 0 : value)),
        })
      }),
    )
  })

  it('support long values', () => {
    const position: Cursor = { list: 'tasks', direction: 'next', after: ['🎉'.repeat(100_000)] }
    expect(decodeCursor(encodeCursor(position), 'tasks')).toEqual(position)
  })
})

describe('decodeCursor', () => {
  it('rejects a cursor of another list', () => {
    const sent = encodeCursor({ list: 'tasks?sort=id', direction: 'next', after: [1] })
    expect(attempt(sent, 'tasks?sort=-id')).toEqual(refused)
    expect(() => decodeCursor(sent, 'tasks')).toThrow('cursor belongs to a list with a different sort or filters')
  })

  it.each([
    '',
    'x',
    '=',
    'ä',
    'e30',
    '////',
    asCursor(null),
    asCursor([]),
    asCursor(['tasks']),
    asCursor(['tasks', 0, [1]]),
    asCursor(['tasks', 1, 1]),
    asCursor(['tasks', 1, [{}]]),
    asCursor(['tasks', 1, [[1]]]),
    Buffer.from('["tasks",1,[1e999]]').toString('base64url'),
    Buffer.from('["tasks",1,["\xff"]]', 'latin1').toString('base64url'),
  ])('rejects %j', (given) => {
    expect(attempt(given)).toEqual(refused)
  })

  it('rejects any other text with INVALID_CURSOR', () => {
    const garbage = fc.oneof(
      fc.string(),
      fc.string({ unit: codePoint }),
      fc.base64String(),
      fc.json().map((json) => btoa(encodeURI(json))),
      fc.jsonValue().map(asCursor),
    )
    fc.assert(
      fc.property(garbage, (given) => {
        expect(attempt(given)).toEqual(refused)
      }),
    )
  })
})

describe('toLinkHeader', () => {
  const page = { limit: PAGE_LIMIT.default, hasMore: true, nextCursor: 'n', prevCursor: 'p' }
  const toUrl = (at: string): string => `/api/v1/tasks?limit=20&cursor=${at}`

  it('links the next and the previous page', () => {
    expect(toLinkHeader(page, toUrl)).toBe(
      '</api/v1/tasks?limit=20&cursor=n>; rel="next", </api/v1/tasks?limit=20&cursor=p>; rel="prev"',
    )
    expect(toLinkHeader({ ...page, prevCursor: null }, toUrl)).toBe('</api/v1/tasks?limit=20&cursor=n>; rel="next"')
    expect(toLinkHeader({ ...page, nextCursor: null }, toUrl)).toBe('</api/v1/tasks?limit=20&cursor=p>; rel="prev"')
  })

  it('returns null for a list of one page', () => {
    expect(toLinkHeader({ ...page, nextCursor: null, prevCursor: null }, toUrl)).toBeNull()
  })
})

describe('PAGE_LIMIT', () => {
  it('matches the API conventions', () => expect(PAGE_LIMIT).toEqual({ default: 20, max: 100 }))
})
