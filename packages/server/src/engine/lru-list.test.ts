import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LruNode, LruList } from './lru-list.ts'

interface Item extends LruNode<Item> {
  readonly name: number
}

describe('LruList', () => {
  it('returns the oldest remaining item, for any order of appends and removals', () => {
    const step = fc.oneof(fc.constant('append'), fc.constant('again'), fc.nat())
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const order = new LruList<Item>()
        const model: Item[] = []
        for (const [name, what] of steps.entries()) {
          const item = typeof what === 'number' ? model[what % model.length] : model[0]
          if (what === 'append') push(newItem(name))
          else if (item !== undefined) {
            order.remove(item)
            model.splice(model.indexOf(item), 1)
            if (what === 'again') push(item)
          }
          expect(order.oldest).toBe(model[0])
        }
        expect(drain()).toEqual(model.map((item) => item.name))

        function push(item: Item): void {
          order.append(item)
          model.push(item)
        }

        function drain(): number[] {
          const names: number[] = []
          for (let item = order.oldest; item !== undefined; item = order.oldest) {
            names.push(item.name)
            order.remove(item)
          }
          return names
        }
      }),
    )
  })

  it('is empty after clear', () => {
    const order = new LruList<Item>()
    order.append(newItem(1))
    order.clear()
    expect(order.oldest).toBeUndefined()
    const next = newItem(2)
    order.append(next)
    expect(order.oldest).toBe(next)
  })
})

function newItem(name: number): Item {
  return { name, at: 0, older: undefined, newer: undefined }
}
