import { describe, expect, it } from 'vitest'
import { createStores } from './open-stores.ts'

describe('createStores', () => {
  it('asks each store of two resources with one name', async () => {
    const asked: string[] = []
    const store = (name: string, isReady = true) => ({
      async ready() {
        asked.push(name)
        if (!isReady) throw new Error(`${name} is down`)
      },
    })
    const { checks } = createStores([
      { name: 'tasks', store: store('old', false) },
      { name: 'tasks', store: store('new') },
      { name: 'notes', store: {} },
    ])
    expect(Object.keys(checks)).toEqual(['tasks'])
    await expect(checks['tasks']?.()).rejects.toThrow('old is down')
    expect(asked).toEqual(['old', 'new'])
  })
})
