import { describe, expect, it } from 'vitest'
import { toSingular, toWords } from './resource-noun.ts'

describe('toSingular', () => {
  it.each([
    ['tasks', 'task'],
    ['categories', 'category'],
    ['boxes', 'box'],
    ['addresses', 'address'],
    ['branches', 'branch'],
    ['statuses', 'status'],
    ['databases', 'database'],
    ['todoItems', 'todoItem'],
    ['movies', 'movie'],
    ['series', 'series'],
    ['people', 'people'],
    ['s', 's'],
  ])('converts %s to %s', (many, one) => {
    expect(toSingular(many)).toBe(one)
  })
})

describe('toWords', () => {
  it('splits a name into words', () => {
    expect([toWords('tasks'), toWords('todoItems'), toWords('apiURLs')]).toStrictEqual([
      'tasks',
      'todo items',
      'api urls',
    ])
  })
})
