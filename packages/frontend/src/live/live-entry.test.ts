import type { LiveMessage } from '@sdk/protocol'
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record, uniqueArray } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { page, setUp } from './subscribe-live.test.fixture.ts'

describe('a live list', () => {
  it('shows the list of the server after any changes, losses and repetitions', async () => {
    const step = oneof(
      { weight: 6, arbitrary: record({ do: constant('set' as const), ids: uniqueArray(integer({ min: 1, max: 9 })) }) },
      { weight: 2, arbitrary: record({ do: constantFrom('lose' as const, 'repeat' as const, 'cut' as const) }) },
    )
    await assert(
      asyncProperty(array(step, { maxLength: 30 }), async (steps) => {
        const { subscribe, welcome, requests, deliver, onData, fake } = setUp()
        let [ids, v, handled]: [number[], number, number] = [[], 0, 0]
        let [bound, isLost, latest]: [number | undefined, boolean, LiveMessage | undefined] = [
          undefined,
          false,
          undefined,
        ]
        const answer = (): void => {
          for (const request of (requests() as { sub?: number }[]).slice(handled)) {
            handled++
            if (!request.sub) continue
            bound = request.sub
            deliver({ sub: request.sub, list: 'g', v, all: page(...ids), tag: ids.join() })
          }
        }
        subscribe()
        await welcome()
        answer()
        for (const next of [...steps, { do: 'set' as const, ids: [1, 2] }, { do: 'set' as const, ids: [2, 3] }]) {
          if (next.do === 'lose') isLost = true
          if (next.do === 'repeat' && latest) deliver(latest)
          if (next.do === 'cut') {
            fake.last().hangUp(1006)
            handled = 0
            await welcome()
            isLost = false
            latest = undefined
            // A resent message is answered as well.
            answer()
          }
          if (next.do !== 'set') continue
          const put = next.ids.map((id, index): [number, unknown] => [index, { id }])
          latest = { list: 'g', v: ++v, cut: ids, put, tag: next.ids.join() }
          ids = next.ids
          if (!isLost) deliver(latest)
          isLost = false
          answer()
        }
        expect(bound).toBeDefined()
        expect(onData.mock.lastCall).toEqual([page(...ids)])
      }),
    )
  })
})
