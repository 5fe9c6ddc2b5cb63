import type { RunStore } from '@sdk/server'
import { START_KEY_PREFIX } from '@sdk/server'
import { expect, it } from 'vitest'
import { claimWriter, newRun } from './run-contract.ts'

/** The contract of every store for runs that are started in the background. */
export function startContract(open: () => Promise<RunStore>): void {
  it('queues a run until it is due', async () => {
    const store = await open()
    const now = await store.now()
    const [later, soon] = [3_600_000, -10].map((ms) =>
      newRun({ process: null, caller: null, dueAt: new Date(now + ms).toISOString() }),
    )
    for (const run of [later, soon]) if (run !== undefined) await store.create(run)
    expect(await claimWriter(store, 'b')).toMatchObject([{ id: soon?.id, epoch: 1 }])
    expect(await store.get(soon?.id ?? '')).toMatchObject({ status: 'running', input: null })
    expect(await store.get(later?.id ?? '')).toMatchObject({ status: 'queued', epoch: 0, input: '{"topic":"tea"}' })
    expect(await claimWriter(store, 'b')).toEqual([])
    expect(await store.cancel(later?.id ?? '', 'b')).toBe(true)
  })

  it('creates one run per agent for a key of a start, even for several users and in one batch', async () => {
    const store = await open()
    const key = `${START_KEY_PREFIX}report é ${newRun().id}`
    const runs = ['ada', 'bob', null, 'ada'].map((userId) => newRun({ key, userId, print: '' }))
    const created = await Promise.all(runs.map((run) => store.create(run)))
    expect(created.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    expect(created.filter(({ outcome }) => outcome === 'joined')).toHaveLength(3)
    expect(new Set(created.map(({ id }) => id)).size).toBe(1)
    expect(await store.create(newRun({ key, agent: 'reader' }))).toMatchObject({ outcome: 'created' })
    expect(await store.create(newRun({ key: key.slice(1) }))).toMatchObject({ outcome: 'created' })
  })

  it('notifies the processes when a run is queued that is due', async () => {
    const store = await open()
    const told: (string | null)[] = []
    await store.join('c', (run) => told.push(run))
    await store.create(newRun({ process: null, dueAt: new Date((await store.now()) + 60_000).toISOString() }))
    await store.create(newRun())
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told).toEqual([])
    await store.create(newRun({ process: null }))
    await expect.poll(() => told).toEqual(['*'])
    await Promise.all([null, 'a'].map((process) => store.create(newRun({ process, caller: null }))))
    await expect.poll(() => told).toEqual(['*', '*'])
  })
}
