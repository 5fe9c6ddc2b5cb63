import { RUN_LIMITS, type RunStore } from '@sdk/server'
import { expect, it } from 'vitest'
import { TIMED_OUT, YES } from './pause-contract.ts'
import { newRun } from './run-contract.ts'

/** The contract of every store for the limits of runs, which need a thousand writes each. */
export function limitContract(open: () => Promise<RunStore>): void {
  it('limits the unfinished runs of a caller', async () => {
    const store = await open()
    const caller = newRun().id
    for (let batch = 0; batch < 10; batch++)
      await Promise.all(Array.from({ length: 100 }, () => store.create(newRun({ caller, agent: 'many' }))))
    expect(await store.create(newRun({ caller }))).toMatchObject({ outcome: 'full' })
    expect(await store.create(newRun())).toMatchObject({ outcome: 'created' })
  })

  it('creates all runs that are started at once, and counts those of a caller', async () => {
    const store = await open()
    const agent = 'many'
    const started = (caller: string | null, length: number): Promise<unknown[]> =>
      Promise.all(
        Array.from({ length }, async () => (await store.create(newRun({ agent, caller, process: null }))).outcome),
      )
    expect(await started('ada', 998)).not.toContain('full')
    expect(await started('ada', 5)).toEqual(['created', 'created', 'full', 'full', 'full'])
    expect(await started(null, 1_010)).not.toContain('full')
  })

  it('stores a limited number and size of events, and always the end of a timeout', async () => {
    const store = await open()
    const [many, large] = [newRun(), newRun()]
    for (const run of [many, large]) await store.create(run)
    const keys = Array.from({ length: RUN_LIMITS.events }, (_, index) => `approval ${index}`)
    for (const key of keys) await store.send({ run: many.id, ...YES, key }, 'b')
    const value = JSON.stringify('x'.repeat(RUN_LIMITS.eventsSize / 16 - 2))
    for (const key of keys.slice(0, 16))
      expect(await store.send({ run: large.id, ...YES, key, value }, 'b')).toBe('sent')
    for (const { id } of [many, large]) {
      expect(await store.send({ run: id, ...YES }, 'b')).toBe('full')
      expect(await store.event(id, 'approval')).toBeNull()
      expect(await store.send({ run: id, ...TIMED_OUT }, 'b')).toBe('sent')
      expect(await store.send({ run: id, ...YES, key: 'approval 1' }, 'b')).toBe('joined')
    }
  })

  it('ends a page of a list early if the data of its runs is large', async () => {
    const store = await open()
    const userId = newRun().id
    const input = JSON.stringify('x'.repeat(1_000_000))
    for (let count = 0; count < 8; count++) await store.create(newRun({ userId, input, process: null }))
    const query = { agent: 'writer', of: { userId }, thread: null, limit: 8, after: null }
    const first = await store.list(query)
    const rest = await store.list({ ...query, after: first.at(-1) ?? null })
    expect([first.length, rest.length]).toEqual([5, 3])
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(8)
  })
}
