import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError, decodeCursor, encodeCursor, PAGE_LIMIT, toLinkHeader, type Cursor } from './index.ts'

const text = fc.string({ unit: 'binary' })
const cursor: fc.Arbitrary<Cursor> = fc.record({
  list: text,
  direction: fc.constantFrom('next', 'prev'),
  after: fc.array(fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))),
})

/** Decodes, and gives the error's code and its details' codes where it throws an ApiError. */
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
  it('are each other’s inverse, for any text and number', () => {
    fc.assert(
      fc.property(cursor, (place) => {
        const sent = encodeCursor(place)
        expect(sent).toMatch(/^[\w-]+$/)
        // JSON has no -0.
        expect(decodeCursor(sent, place.list)).toEqual({
          ...place,
          after: place.after.map((value) => (value === 0 ? 0 : value)),
        })
      }),
    )
  })

  it('carry long values too', () => {
    const place: Cursor = { list: 'tasks', direction: 'next', after: ['🎉'.repeat(100_000)] }
    expect(decodeCursor(encodeCursor(place), 'tasks')).toEqual(place)
  })
})

describe('decodeCursor', () => {
  it('refuses a cursor of another list', () => {
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
  ])('refuses %j', (given) => {
    expect(attempt(given)).toEqual(refused)
  })

  it('refuses garbage with INVALID_CURSOR and never fails otherwise', () => {
    const garbage = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
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

  it('links the neighbours of a page', () => {
    expect(toLinkHeader(page, toUrl)).toBe(
      '</api/v1/tasks?limit=20&cursor=n>; rel="next", </api/v1/tasks?limit=20&cursor=p>; rel="prev"',
    )
    expect(toLinkHeader({ ...page, prevCursor: null }, toUrl)).toBe('</api/v1/tasks?limit=20&cursor=n>; rel="next"')
    expect(toLinkHeader({ ...page, nextCursor: null }, toUrl)).toBe('</api/v1/tasks?limit=20&cursor=p>; rel="prev"')
  })

  it('is null for a list of one page', () => {
    expect(toLinkHeader({ ...page, nextCursor: null, prevCursor: null }, toUrl)).toBeNull()
  })
})

describe('PAGE_LIMIT', () => {
  it('is what the API conventions say', () => expect(PAGE_LIMIT).toEqual({ default: 20, max: 100 }))
})
