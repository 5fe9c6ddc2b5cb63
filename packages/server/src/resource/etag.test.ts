import { describe, expect, it } from 'vitest'
import { fromWebRequest } from '../app/fetch-adapter.ts'
import { assertState, createEtags, isFresh, isMatched, parsePreconditions, type Preconditions } from './etag.ts'

function read(headers: Record<string, string>): Preconditions {
  return parsePreconditions(fromWebRequest(new Request('http://localhost', { headers })))
}

describe('createEtags', () => {
  const shape = { name: 'tasks', fields: [], filter: [], sort: [], unique: [] }
  const at = '2026-01-31T10:00:00.000Z'
  const row = { id: 1, createdAt: at, updatedAt: at, version: 3 }

  it('returns a different tag for another version and for other fields', () => {
    const toEtag = createEtags(shape)
    expect(toEtag(row)).toMatch(/^"3-[a-z0-9]+-[a-z0-9]+"$/)
    expect(toEtag({ ...row, version: 4 })).not.toBe(toEtag(row))
    const others = createEtags({ ...shape, fields: [{ name: 'title', type: 'string', isNullable: false }] })
    expect(others(row)).not.toBe(toEtag(row))
  })

  it('returns a different tag if only updatedAt differs', () => {
    const toEtag = createEtags(shape)
    expect(toEtag({ ...row, updatedAt: '2026-01-31T10:00:00.001Z' })).not.toBe(toEtag(row))
  })

  it('returns a valid tag for any version string', () => {
    expect(createEtags(shape)({ ...row, version: 'a"b\n' })).toMatch(/^"[\x21\x23-\x7e]+"$/)
  })
})

describe('parsePreconditions', () => {
  it('parses lists with weak tags, empty elements and commas inside tags', () => {
    expect(read({ 'if-match': '"a"' }).match).toEqual(['"a"'])
    expect(read({ 'if-match': '"a", W/"b",, "c,d" ,' }).match).toEqual(['"a"', 'W/"b"', '"c,d"'])
    expect(read({ 'if-none-match': ' * ' })).toMatchObject({ match: null, noneMatch: '*' })
  })

  it.each(['a', '"a', '"a" "b"', 'w/"a"', '*, "a"', '', '""""', `"${'a'.repeat(5_000)}"`])('rejects %j', (header) => {
    expect(() => read({ 'if-match': header })).toThrow(/^If-Match must be \* or entity tags/)
  })

  it('throws quickly for long, almost valid headers', () => {
    expect(() => read({ 'if-match': `${'"a",'.repeat(1_000)}x` })).toThrow('If-Match')
    expect(() => read({ 'if-match': `${','.repeat(4_000)}x` })).toThrow('If-Match')
    const before = process.cpuUsage().user
    expect(() => read({ 'if-match': `"a"${', '.repeat(2_040)}x` })).toThrow('If-Match')
    expect(() => read({ 'if-match': `"a"${' , "b",'.repeat(500)}x` })).toThrow('If-Match')
    expect(process.cpuUsage().user - before).toBeLessThan(50_000)
  })
})

describe('a date precondition', () => {
  const [before, at, after] = [9, 10, 11].map((second) => new Date(Date.UTC(2026, 0, 31, 10, 0, second)).toUTCString())
  const state = { etag: '"a"', updatedAt: '2026-01-31T10:00:10.400Z' }

  it('is compared in whole seconds', () => {
    const isMatchedSince = (date = ''): boolean => isMatched(state, read({ 'if-unmodified-since': date }))
    const isFreshSince = (date = ''): boolean => isFresh(state, read({ 'if-modified-since': date }))
    expect([before, at, after].map(isMatchedSince)).toEqual([false, true, true])
    expect([before, at, after].map(isFreshSince)).toEqual([false, true, true])
    expect([isMatchedSince('soon'), isFreshSince('soon')]).toEqual([true, false])
  })

  it('is ignored next to a tag, on writes and if the state has no date', () => {
    const since = { 'if-unmodified-since': before ?? '', 'if-modified-since': after ?? '' }
    expect(isMatched(state, read({ ...since, 'if-match': '"a"' }))).toBe(true)
    expect(isFresh(state, read({ ...since, 'if-none-match': '"b"' }))).toBe(false)
    expect(() => assertState(state, read({ 'if-modified-since': after ?? '' }), false)).not.toThrow()
    expect([isMatched({ etag: '"a"' }, read(since)), isFresh({ etag: '"a"' }, read(since))]).toEqual([true, false])
  })
})

describe('an ETag precondition', () => {
  it('is compared strongly for writes and weakly for reads', () => {
    expect(isMatched({ etag: '"a"' }, read({ 'if-match': '"b", "a"' }))).toBe(true)
    expect(isMatched({ etag: '"a"' }, read({ 'if-match': 'W/"a"' }))).toBe(false)
    expect(isMatched({ etag: 'W/"a"' }, read({ 'if-match': 'W/"a"' }))).toBe(false)
    expect(isMatched({ etag: 'W/"a"' }, read({ 'if-match': '*' }))).toBe(true)
    expect(isFresh({ etag: 'W/"a"' }, read({ 'if-none-match': '"a"' }))).toBe(true)
    expect(isFresh({ etag: '"a"' }, read({ 'if-none-match': '*' }))).toBe(true)
    expect(isFresh({ etag: '"a"' }, read({}))).toBe(false)
  })

  it('rejects a write with 412 and the current tag, or with 428 if required and missing', () => {
    expect(() => assertState({ etag: '"a"' }, read({ 'if-match': '"b"' }), false)).toThrow(
      expect.objectContaining({ status: 412, headers: { etag: '"a"' } }),
    )
    expect(() => assertState({ etag: '"a"' }, read({ 'if-none-match': '*' }), false)).toThrow(
      expect.objectContaining({ status: 412 }),
    )
    expect(() => assertState({ etag: '"a"' }, read({}), true)).toThrow(expect.objectContaining({ status: 428 }))
    expect(() => assertState({ etag: '"a"' }, read({ 'if-match': '*' }), true)).not.toThrow()
  })
})
