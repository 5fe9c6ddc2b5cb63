import type { RunPause, RunStore } from '@sdk/server'
import { expect, it } from 'vitest'
import { claimWriter, newRun, writeOf } from './run-contract.ts'

/** Returns the pause of a run that sleeps until a time. */
function pauseOf(time: number): RunPause {
  const until = new Date(time).toISOString()
  return { status: 'waiting', dueAt: until, waits: [{ event: null, id: null, ask: null, until }] }
}

/** The contract of every store for runs that wait. `open` returns a store with the processes `a` and `b`. */
export function pauseContract(open: () => Promise<RunStore>): void {
  it('pauses a run until it is due, and then continues it after its last step', async () => {
    const store = await open()
    const now = await store.now()
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
    const [{ id }, other] = [newRun(), newRun()]
    for (const run of [newRun({ id }), other]) await store.create(run)
    const steps = [{ name: 'nap', value: '1', chunks: 2 }]
    await store.write('a', [writeOf(id, { chunks: ['0', '1', '2'], steps, end: pauseOf(now + 3_600_000) })])
    const waiting = JSON.stringify(pauseOf(now + 3_600_000).waits[0])
    expect(await store.get(id)).toMatchObject({ status: 'waiting', waiting, endedAt: null, epoch: 1 })
    expect((await store.get(other.id))?.waiting).toBeNull()
    expect(await store.renew('a')).toEqual(new Set([other.id]))
    expect(await store.write('a', [writeOf(id, { first: 3, chunks: ['late'] })])).toEqual([false])
    await store.release('a', [id])
    await store.leave('a')
    expect(await store.claim('b', { agents: ['writer'], limit: 9 })).toMatchObject([{ id: other.id }])
    expect(await store.cancel(id, 'b')).toBe(true)
    expect(await store.get(id)).toMatchObject({ status: 'cancelled', waiting: null })
  })

  it('claims due runs beside queued ones up to the limit, each once, and never as crashed', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const steps = [{ name: 'nap', value: '1', chunks: 1 }]
    await store.write('a', [writeOf(id, { chunks: ['0', '1'], steps })])
    for (let epoch = 1; epoch < 8; epoch++) {
      expect(await store.write('a', [writeOf(id, { epoch, end: pauseOf((await store.now()) - 10) })])).toEqual([true])
      const claims = await Promise.all(['a', 'a', 'a'].map((process) => claimWriter(store, process)))
      expect(claims.flat()).toMatchObject([{ id, epoch: epoch + 1, kept: 1, hasFailed: false }])
    }
    expect(await store.get(id)).toMatchObject({ status: 'running', chunks: 1 })
    await store.write('a', [writeOf(id, { epoch: 8, end: pauseOf(0) })])
    await store.create(newRun({ process: null }))
    expect(await claimWriter(store, 'b', 1)).toHaveLength(1)
    expect(await claimWriter(store, 'b', 2)).toHaveLength(1)
  })
}
