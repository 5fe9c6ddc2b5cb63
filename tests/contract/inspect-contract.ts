import type { InspectableRunStore, InspectQuery } from '@sdk/server'
import { inspectRun } from '@sdk/server/node'
import { expect, it } from 'vitest'
import { claimWriter, newRun, writeOf } from './run-contract.ts'

const ALL: InspectQuery = { agent: null, status: null, thread: null, before: null, limit: 100 }

/** The contract of the part of a store that development tools read. `open` returns a store with the processes `a` and `b`. */
export function inspectContract(open: () => Promise<InspectableRunStore>): void {
  it('lists the runs of all users, newest first, with filters and pages', async () => {
    const store = await open()
    const agent = newRun().id
    const runs = [
      newRun({ agent, userId: 'ada', thread: 't1' }),
      newRun({ agent, userId: 'bob', process: null }),
      newRun({ agent }),
    ]
    for (const run of runs) {
      await store.create(run)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await store.write('a', [writeOf(runs[2]?.id ?? '', { end: { status: 'done', output: '1', error: null } })])
    const list = async (query: Partial<InspectQuery>): Promise<number[]> =>
      (await store.inspect.list({ ...ALL, agent, ...query })).map(({ id }) => runs.findIndex((run) => run.id === id))
    expect(await list({})).toEqual([2, 1, 0])
    expect(await list({ limit: 1 })).toEqual([2])
    expect(await list({ before: runs[2]?.id ?? '' })).toEqual([1, 0])
    expect(await list({ before: 'unknown' })).toEqual([])
    expect(await list({ status: 'queued' })).toEqual([1])
    expect(await list({ thread: 't1' })).toEqual([0])
    expect(await list({ agent: 'other' })).toEqual([])
    const [done, queued, running] = await store.inspect.list({ ...ALL, agent })
    expect(done).toMatchObject({ status: 'done', process: null, dueAt: null, stepCount: 0, waiting: null })
    expect(queued).toMatchObject({ userId: 'bob', status: 'queued', process: null, epoch: 0, endedAt: null })
    expect(running).toMatchObject({ userId: 'ada', thread: 't1', status: 'running', process: 'a', epoch: 1 })
    expect(Object.keys(done ?? {})).not.toContain('output')
  })

  it('returns the steps of a run with their times, attempts, processes and truncated values', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id, input: JSON.stringify('i'.repeat(70_000)) }))
    const now = await store.now()
    const long = JSON.stringify('x'.repeat(5_000))
    const first = { name: 'plan', value: long, chunks: 0, trace: { kind: 'step', ms: 1_500, attempts: 3 } } as const
    const old = { name: 'old', value: null, chunks: 1 }
    await store.write('a', [writeOf(id, { chunks: ['0', '1', '2'], steps: [first, old] })])
    await store.leave('a')
    expect(await claimWriter(store, 'b')).toMatchObject([{ id, epoch: 2 }])
    const due = String(now + 60_000)
    const nap = { name: 'nap', value: due, chunks: 1, trace: { kind: 'sleep', ms: 0, attempts: 1 } } as const
    const wait = { name: 'approval#0', value: null, chunks: 1, trace: { kind: 'wait', ms: 0, attempts: 1 } } as const
    await store.write('b', [writeOf(id, { epoch: 2, first: 1, chunks: ['"again"'], steps: [nap, wait] })])
    await store.send({ run: id, key: 'approval', value: '{"ok":"👍"}', print: 'p' }, 'b')
    const found = await inspectRun(store, id)
    expect(found?.input).toMatchObject({ size: 70_002 })
    expect(found?.input?.text).toHaveLength(65_536)
    const steps = new Map(found?.steps.map((step) => [step.name, step]))
    expect([...steps.keys()].toSorted()).toEqual(['approval', 'nap', 'old', 'plan'])
    expect(found?.steps[0]?.name).toBe('plan')
    expect(steps.get('plan')).toMatchObject({
      kind: 'step',
      attempts: 3,
      epoch: 1,
      process: 'a',
      value: { size: 5_002 },
    })
    expect(steps.get('plan')?.value?.text).toBe(long.slice(0, 4_096))
    const { startedAt = '', endedAt } = steps.get('plan') ?? {}
    expect(Date.parse(endedAt ?? '') - Date.parse(startedAt)).toBe(1_500)
    expect(steps.get('old')).toMatchObject({ kind: 'step', attempts: 1, process: 'a', value: null })
    expect(steps.get('nap')).toMatchObject({ kind: 'sleep', epoch: 2, process: 'b' })
    expect(steps.get('nap')?.endedAt).toBe(new Date(Number(due)).toISOString())
    expect(steps.get('approval')).toMatchObject({ kind: 'wait', value: { text: '{"ok":"👍"}' }, process: 'b' })
    expect(found?.attempts).toEqual([
      { epoch: 1, process: 'a', keep: null, steps: 2 },
      { epoch: 2, process: 'b', keep: 1, steps: 2 },
    ])
    expect(found?.events).toMatchObject([{ key: 'approval', value: { text: '{"ok":"👍"}', size: 11 } }])
    expect(found).toMatchObject({ chunkCount: 2, firstChunk: 0, run: { stepCount: 4, process: 'b' } })
    expect(found?.chunks).toEqual([
      { text: '0', size: 1, epoch: 1 },
      { text: '"again"', size: 7, epoch: 2 },
    ])
    expect((await inspectRun(store, id, 1))?.chunks).toEqual([{ text: '"again"', size: 7, epoch: 2 }])
    expect(await inspectRun(store, 'unknown')).toBeNull()
    const inThread = newRun({ userId: 'ada', thread: 'inspected' })
    await store.create(inThread)
    expect(await inspectRun(store, inThread.id)).toMatchObject({ state: null })
    const end = { status: 'done', output: null, error: null, state: '[1]' } as const
    await store.write('a', [writeOf(inThread.id, { end })])
    expect(await inspectRun(store, inThread.id)).toMatchObject({ state: { text: '[1]', size: 3 } })
  })

  it('returns what a run waits for, and ends its sleep and wait with the run', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const now = await store.now()
    const dueAt = new Date(now + 3_600_000).toISOString()
    const waiting = { event: 'approval', id: null, ask: { cost: 1 }, until: dueAt }
    const nap = {
      name: 'nap',
      value: String(now + 9e6),
      chunks: 0,
      trace: { kind: 'sleep', ms: 0, attempts: 1 },
    } as const
    const wait = { name: 'approval#0', value: '1', chunks: 0, trace: { kind: 'wait', ms: 0, attempts: 1 } } as const
    const past = {
      name: 'blink',
      value: String(now - 1000),
      chunks: 0,
      trace: { kind: 'sleep', ms: 0, attempts: 1 },
    } as const
    const end = { status: 'waiting', dueAt, waiting, events: ['approval'] } as const
    await store.write('a', [writeOf(id, { steps: [nap, wait, past], end })])
    const [listed] = await store.inspect.list({ ...ALL, status: 'waiting' })
    expect(listed).toMatchObject({ id, process: null, dueAt, waiting: JSON.stringify(waiting), stepCount: 3 })
    const waitingRun = await inspectRun(store, id)
    expect(waitingRun?.steps.find(({ kind }) => kind === 'wait')).toMatchObject({ endedAt: null, value: null })
    const blink = waitingRun?.steps.find(({ name }) => name === 'blink')
    expect(blink?.endedAt).toBe(blink?.startedAt)
    await store.cancel(id, 'a')
    const closed = await inspectRun(store, id)
    expect(closed?.run).toMatchObject({ status: 'cancelled', waiting: null, dueAt: null })
    for (const name of ['nap', 'approval'])
      expect(closed?.steps.find((step) => step.name === name)?.endedAt).toBe(closed?.run.endedAt)
  })
}
