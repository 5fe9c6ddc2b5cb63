import { MAX_DETAILS } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { createListQueryParser } from './list-query.ts'

describe('createListQueryParser', () => {
  it('inspects no more unknown parameters than the error lists', () => {
    const parse = createListQueryParser({ name: 'tasks', fields: [], filter: [], sort: [], unique: [] })
    let seen = 0
    const names = Array.from({ length: 2_000 }, (_, n) => `p${n}`)
    const query = new Proxy<Record<string, string>>(Object.fromEntries(names.map((name) => [name, ''])), {
      getOwnPropertyDescriptor(target, name) {
        seen += 1
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
    })
    expect(() => parse(query)).toThrow(
      'p0 is not a known parameter: the route accepts limit, cursor, sort, count (and 99 more)',
    )
    expect(seen).toBeLessThanOrEqual(MAX_DETAILS + 1)
  })
})
