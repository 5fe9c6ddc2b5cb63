import { describe, expect, it } from 'vitest'
import { createStores } from './open-stores.ts'

describe('createStores', () => {
  it('checks each store if two resources have the same name', async () => {
    const checked: string[] = []
    const store = (name: string, isReady = true) => ({
      async ready() {
        checked.push(name)
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
    expect(checked).toEqual(['old', 'new'])
  })
})
