import { ApiError } from '@sdk/server'
import { expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { at } from './page.ts'
import { createGate } from './server.ts'
import type { Stage } from './stage.ts'

/** Tests paginated lists and optimistic changes. */
export function testLists(stage: Stage): void {
  it('loads the three pages of a resource', async () => {
    const { actor, place } = stage
    const options = { query: { limit: 2, sort: 'n' } }
    await actor.show({ name: 'a', hook: 'usePages', route: 'GET /api/v1/numbers', options })
    await untilItems([1, 2], true)
    await actor.click('a')
    await untilItems([1, 2, 3, 4], true)
    await actor.click('a')
    await untilItems([1, 2, 3, 4, 5], false)
    await actor.click('a')
    await untilItems([1, 2, 3, 4, 5], false)
    expect(place.requests).toHaveLength(3)

    async function untilItems(numbers: number[], hasMore: boolean): Promise<void> {
      await actor.until('a', { items: numbers.map((n) => expect.objectContaining({ n })), hasMore, isFetching: false })
    }
  })

  it('shows an optimistic update immediately and rolls it back if the server rejects it', async () => {
    const { actor, place } = stage
    const gates = [createGate(), createGate()]
    const list = ['tea']
    const refetch = createGate()
    const fetched = place.handle('GET list', async () => {
      if (fetched.length === 2) await refetch.opened
      return list
    })
    const sent = place.handle('POST list', async ({ input }) => {
      await gates[sent.length - 1]?.opened
      if (input === 'sand') throw new ApiError('CONFLICT', 'Nobody drinks that')
      list.push(String(input))
      return null
    })
    const optimistic = 'GET /api/at/:name'
    await actor.show(
      at('list', 'GET list'),
      { ...at('bad', 'POST list'), optimistic, payload: 'sand' },
      { ...at('good', 'POST list'), optimistic, payload: 'milk' },
    )
    await actor.until('list', { data: ['tea'], isFetching: false })

    await actor.click('bad')
    await actor.until('list', { data: ['tea', 'sand'] })
    await soon(() => expect(sent).toHaveLength(1))
    expect(fetched).toHaveLength(1)
    gates[0]?.open()
    await actor.until('bad', { status: 'error', code: 'CONFLICT' })
    // Before the server has responded.
    await actor.until('list', { data: ['tea'], isFetching: true })
    refetch.open()
    await actor.until('list', { data: ['tea'], isFetching: false })

    await actor.click('good')
    await actor.until('list', { data: ['tea', 'milk'] })
    await soon(() => expect(sent).toHaveLength(2))
    expect(list).toEqual(['tea'])
    gates[1]?.open()
    await actor.until('good', { status: 'success' })
    await actor.until('list', { data: ['tea', 'milk'], isFetching: false })
    await soon(() => expect(fetched).toHaveLength(3))
    const shown = (await actor.read('history', 'list')).map(({ data }) => JSON.stringify(data))
    expect(shown.filter((text, index) => text !== shown[index - 1])).toEqual([
      '["tea"]',
      '["tea","sand"]',
      '["tea"]',
      '["tea","milk"]',
    ])
  })
}
