import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freeName, moveItem, removeMember, renameMemberAt, setMember } from './edits.ts'
import { parseJsonTree, printJson } from './json-text.ts'
import { fromJsValue, type JsonArray, type JsonObject } from './json-tree.ts'

const names = fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '0')), {
  minLength: 1,
  maxLength: 6,
})

describe('setMember and removeMember', () => {
  it('revert each other and keep the order of other members', () => {
    fc.assert(
      fc.property(names, fc.nat(), (order, pick) => {
        const object: JsonObject = {
          kind: 'object',
          members: order.map((name) => ({ name, value: fromJsValue(name) })),
        }
        const name = order[pick % order.length] ?? ''
        const less = removeMember(object, name)
        expect(less.members.map((member) => member.name)).toEqual(order.filter((each) => each !== name))
        expect(printJson(setMember(less, name, { value: fromJsValue(name), order }))).toBe(printJson(object))
      }),
    )
  })
})

describe('renameMemberAt', () => {
  it('keeps the position of a member', () => {
    expect(printJson(renameMemberAt(objectOf('{"a":1,"b":2}'), 0, 'b'), '')).toBe('{"b":1,"b":2}')
  })
})

describe('freeName', () => {
  it('returns an unused name', () => {
    expect(freeName(objectOf('{"key":1,"key2":2}'))).toBe('key3')
    expect(freeName(objectOf('{}'))).toBe('key')
  })
})

describe('moveItem', () => {
  it('does not move past the ends', () => {
    const list = parseJsonTree('[1,2,3]') as JsonArray
    expect(printJson(moveItem(list, 0, 2), '')).toBe('[2,3,1]')
    expect(moveItem(list, 0, -1)).toBe(list)
    expect(moveItem(list, 2, 3)).toBe(list)
  })
})

function objectOf(text: string): JsonObject {
  return parseJsonTree(text) as JsonObject
}
