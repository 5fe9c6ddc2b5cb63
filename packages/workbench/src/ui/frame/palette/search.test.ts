import { describe, expect, it } from 'vitest'
import { fit, search, type PaletteEntry } from './search.ts'

const entries = [
  ['Agent', 'summarize'],
  ['Agent', 'brief', 'Sums up the day'],
  ['Route', 'GET /api/v1/tasks'],
  ['Route', 'DELETE /api/v1/tasks/:id'],
  ['Page', 'Settings'],
  ['Action', 'Toggle theme', 'dark light'],
].map(([kind = '', name = '', hint]): PaletteEntry => ({ key: name, kind, name, hint, onSelect: () => {} }))

function found(query: string): string[] {
  return search(entries, query).map(({ name }) => name)
}

describe('search', () => {
  it('returns all entries in order without a query', () => {
    expect(found('  ')).toEqual(entries.map(({ name }) => name))
  })

  it('ranks prefixes first, then other matches, and hints last', () => {
    expect(found('sum')).toEqual(['summarize', 'brief'])
    expect(found('se')[0]).toBe('Settings')
  })

  it('matches scattered letters, kinds and hints, and ignores case', () => {
    expect(found('smrz')).toEqual(['summarize'])
    expect(found('AGENT BR')[0]).toBe('brief')
    expect(found('dark')).toEqual(['Toggle theme'])
    expect(found('tasks')[0]).toBe('GET /api/v1/tasks')
  })

  it('returns no entries for missing letters or letters in another order', () => {
    expect(found('zzz')).toEqual([])
    expect(found('zirammus')).toEqual([])
  })
})

describe('fit', () => {
  it('returns 100 for equal texts and less for a shorter query', () => {
    expect(fit('runs', 'runs')).toBe(100)
    expect(fit('runs', 'run')).toBeGreaterThan(fit('runs', 'r'))
  })

  it('ranks matches at the start of a word higher', () => {
    expect(fit('get /api/tasks', 'ta')).toBeGreaterThan(fit('get /api/state', 'ta'))
    expect(fit('toggle theme', 'tt')).toBeGreaterThan(fit('nottle', 'te'))
  })
})
