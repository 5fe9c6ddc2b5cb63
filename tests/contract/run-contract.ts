import { randomBytes } from 'node:crypto'
import type { ClaimedRun, NewRun, RunStore, RunWrite } from '@sdk/server'
import { expect, it } from 'vitest'

const newId = (): string => randomBytes(16).toString('hex')
const news = (): void => {}

/** Returns a new run of the process `a`. */
export function newRun(changes: Partial<NewRun> = {}): NewRun {
  const id = newId()
  return {
    id,
    agent: 'writer',
    userId: null,
    caller: `caller ${id}`,
    key: null,
    print: 'print',
    thread: null,
    input: '{"topic":"tea"}',
    address: '127.0.0.1',
    trace: null,
    isStream: true,
    keepFor: 3600,
    process: 'a',
    ...changes,
  }
}

/** Returns a write in the first epoch. */
export function writeOf(id: string, changes: Partial<RunWrite> = {}): RunWrite {
  return { id, epoch: 1, first: 0, chunks: [], steps: [], end: null, ...changes }
}

/** Claims runs of the agent `writer`. */
export const claimWriter = (store: RunStore, process: string, limit = 10): Promise<ClaimedRun[]> =>
  store.claim(process, { agents: ['writer'], limit })

/** The contract of every store of runs. `open` returns a store with the processes `a` and `b`. */
export function runContract(open: () => Promise<RunStore>): void {
  it('stores chunks, steps and the end of a run', async () => {
    const store = await open()
    const { id } = newRun()
    expect(await store.create(newRun({ id }))).toEqual({ outcome: 'created', id })
    expect(await store.get(id)).toMatchObject({ status: 'running', epoch: 1, chunks: 0, endedAt: null, userId: null })
    expect(await store.write('a', [writeOf(id, { chunks: ['"\\u0000"', '{"a":"é\\n"}'] })])).toEqual([true])
    const steps = [{ name: 'plan', value: '{"b":1}', chunks: 2 }]
    expect(await store.write('a', [writeOf(id, { first: 2, chunks: ['3'], steps })])).toEqual([true])
    expect(await store.steps(id)).toMatchObject(new Map([['plan', { chunks: 2 }]]))
    expect(await store.stepValue(id, 'plan')).toBe('{"b":1}')
    expect(await store.stepValue(id, 'other')).toBeNull()
    const end = { status: 'done', output: '7', error: null } as const
    expect(await store.write('a', [writeOf(id, { first: 3, end })])).toEqual([true])
    expect(await store.read(id, 1)).toMatchObject({
      run: { status: 'done', chunks: 3, output: '7' },
      pages: [
        { epoch: 1, first: 0, chunks: ['"\\u0000"', '{"a":"é\\n"}'] },
        { epoch: 1, first: 2, chunks: ['3'] },
      ],
    })
    expect((await store.get(id))?.endedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await store.write('a', [writeOf(id, { first: 3, chunks: ['4'] })])).toEqual([false])
    expect(await store.get(newId())).toBeNull()
  })

  it('ignores a write that is repeated', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const write = writeOf(id, { chunks: ['1'], steps: [{ name: 'plan', value: null, chunks: 1 }] })
    await store.write('a', [write])
    if ((await store.write('a', [write]))[0] !== true) throw new Error('the run still belongs to the process')
    expect((await store.get(id))?.chunks).toBe(1)
    expect(await store.stepValue(id, 'plan')).toBeNull()
  })

  it('creates one run for a key, even if many requests arrive at once', async () => {
    const store = await open()
    const key = newId()
    const runs = Array.from({ length: 20 }, () => newRun({ key, userId: 'ada' }))
    const created = await Promise.all(runs.map((run) => store.create(run)))
    expect(created.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    expect(created.filter(({ outcome }) => outcome === 'joined')).toHaveLength(19)
    expect(new Set(created.map(({ id }) => id)).size).toBe(1)
    expect(await store.create(newRun({ key, userId: 'ada', print: 'other' }))).toMatchObject({ outcome: 'reused' })
    expect(await store.create(newRun({ key, userId: 'bob' }))).toMatchObject({ outcome: 'created' })
    expect(await store.create(newRun({ key, userId: 'ada', agent: 'reader' }))).toMatchObject({ outcome: 'created' })
  })

  it('allows one unfinished run per thread', async () => {
    const store = await open()
    const thread = newId()
    const runs = Array.from({ length: 10 }, () => newRun({ thread, userId: 'ada' }))
    const created = await Promise.all(runs.map((run) => store.create(run)))
    const first = created.find(({ outcome }) => outcome === 'created')
    expect(created.filter(({ outcome, id }) => outcome === 'busy' && id === first?.id)).toHaveLength(9)
    expect(await store.create(newRun({ thread, userId: 'bob' }))).toMatchObject({ outcome: 'created' })
    await store.cancel(first?.id ?? '', 'a')
    expect(await store.create(newRun({ thread, userId: 'ada' }))).toMatchObject({ outcome: 'created' })
  })

  it('leaves the runs of a process to it until it leaves, and then fences its writes', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const steps = [{ name: 'plan', value: '1', chunks: 2 }]
    // The page contains chunks before and after the end of the step.
    await store.write('a', [writeOf(id, { chunks: ['0', '1', '2'], steps })])
    await store.write('a', [writeOf(id, { first: 3, chunks: ['3'] })])
    expect(await store.write('b', [writeOf(id, { first: 4, chunks: ['foreign'] })])).toEqual([false])
    expect(await claimWriter(store, 'b')).toEqual([])
    await store.leave('a')
    expect(await claimWriter(store, 'b')).toMatchObject([
      { id, epoch: 2, kept: 2, input: '{"topic":"tea"}', hasFailed: false },
    ])
    expect(await claimWriter(store, 'b')).toEqual([])
    expect(await store.get(id)).toMatchObject({ epoch: 2, chunks: 2, retractions: [[2, 2]], status: 'running' })
    expect(await store.write('a', [writeOf(id, { first: 4, chunks: ['late'] })])).toEqual([false])
    expect(await store.write('b', [writeOf(id, { first: 2, chunks: ['late'] })])).toEqual([false])
    expect(await store.write('b', [writeOf(id, { epoch: 2, first: 2, chunks: ['new'] })])).toEqual([true])
    const { pages } = (await store.read(id, 0)) ?? {}
    expect(pages).toEqual([
      { epoch: 1, first: 0, chunks: ['0', '1', '2'] },
      { epoch: 2, first: 2, chunks: ['new'] },
    ])
    expect(await store.renew('b')).toEqual(new Set([id]))
  })

  it('gives each run to one of the processes that claim it', async () => {
    const store = await open()
    const runs = Array.from({ length: 30 }, () => newRun())
    for (const run of runs) await store.create(run)
    await store.join('c', news)
    await store.leave('a')
    const claimed = await Promise.all(
      ['b', 'c', 'b', 'c', 'b', 'c'].map((process) => store.claim(process, { agents: ['writer'], limit: 100 })),
    )
    const rest = await store.claim('b', { agents: ['writer'], limit: 100 })
    const ids = [...claimed.flat(), ...rest].map(({ id }) => id)
    expect(ids.toSorted()).toEqual(runs.map(({ id }) => id).toSorted())
  })

  it('fails a run that was taken over five times without a new step', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const crash = async (from: string, to: string): Promise<ClaimedRun | undefined> => {
      await store.leave(from)
      await store.join(to, news)
      return (await claimWriter(store, to)).find((run) => run.id === id)
    }
    for (let takeover = 0; takeover < 4; takeover++)
      await crash(`${takeover === 0 ? 'a' : takeover}`, `${takeover + 1}`)
    const steps = [{ name: 'plan', value: null, chunks: 0 }]
    expect(await store.write('4', [writeOf(id, { epoch: 5, steps })])).toEqual([true])
    for (let takeover = 4; takeover < 8; takeover++)
      expect(await crash(`${takeover}`, `${takeover + 1}`)).toMatchObject({ hasFailed: false })
    expect(await crash('8', '9')).toMatchObject({ hasFailed: true })
    expect(await store.get(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('RUN_CRASHES') })
  })

  it('takes over few runs that have crashed twice, and one that has crashed once more', async () => {
    const store = await open()
    const ids = Array.from({ length: 4 }, () => newRun().id)
    for (const id of ids) await store.create(newRun({ id }))
    const next = async (from: string, to: string, suspects?: [number, number]): Promise<string[]> => {
      await store.leave(from)
      await store.join(to, news)
      const claimed = await store.claim(to, { agents: ['writer'], limit: 9, ...(suspects && { suspects }) })
      expect(claimed.every(({ hasFailed }) => !hasFailed)).toBe(true)
      return claimed.map(({ id, crashes }) => `${ids.indexOf(id)} ${crashes}`).toSorted()
    }
    expect(await next('a', '1', [0, 0])).toEqual(['0 1', '1 1', '2 1', '3 1'])
    const steps = [{ name: 'plan', value: null, chunks: 0 }]
    expect(await store.write('1', [writeOf(ids[3] ?? '', { epoch: 2, steps })])).toEqual([true])
    expect(await next('1', '2', [0, 0])).toEqual(['0 2', '1 2', '2 2', '3 1'])
    expect(await next('2', '3', [2, 0])).toEqual(['0 3', '1 3', '3 2'])
    // The run that is left still belongs to a process that has left.
    expect(await next('3', '4', [3, 1])).toEqual(['0 4', '2 3', '3 3'])
  })

  it('queues released runs, which do not count as crashed', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    for (let time = 0; time < 8; time++) {
      await store.release(time === 0 ? 'a' : 'b', [id])
      expect(await store.get(id)).toMatchObject({ status: 'queued' })
      expect(await claimWriter(store, 'b')).toMatchObject([{ id, epoch: time + 2, hasFailed: false }])
    }
  })

  it('keeps a queued run for a process with its agent', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id, agent: 'painter', process: null }))
    expect(await store.get(id)).toMatchObject({ status: 'queued', epoch: 0 })
    expect(await claimWriter(store, 'b')).toEqual([])
    expect(await store.sweep(['writer'])).toEqual(['painter'])
    expect(await store.sweep(['writer', 'painter'])).toEqual([])
    expect(await store.claim('b', { agents: ['painter'], limit: 1 })).toMatchObject([{ id, epoch: 1 }])
    expect(await store.get(id)).toMatchObject({ status: 'running', retractions: [] })
  })

  it('retracts the chunks of a failed step', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    await store.write('a', [writeOf(id, { chunks: ['0', '1'] })])
    await store.write('a', [writeOf(id, { first: 2, chunks: ['2'] })])
    expect(await store.retract('b', { id, epoch: 1, keep: 1 })).toBeNull()
    expect(await store.retract('a', { id, epoch: 1, keep: 1 })).toBe(2)
    // The response was lost.
    expect(await store.retract('a', { id, epoch: 1, keep: 1 })).toBe(2)
    expect(await store.retract('a', { id, epoch: 1, keep: 0 })).toBeNull()
    expect(await store.get(id)).toMatchObject({ epoch: 2, chunks: 1, retractions: [[2, 1]] })
    expect(await store.write('a', [writeOf(id, { first: 3, chunks: ['late'] })])).toEqual([false])
    expect(await store.write('a', [writeOf(id, { epoch: 2, first: 1, chunks: ['new'] })])).toEqual([true])
    expect((await store.get(id))?.chunks).toBe(2)
  })

  it('cancels an unfinished run once, and notifies the other processes', async () => {
    const store = await open()
    const told: (string | null)[] = []
    await store.join('c', (run) => told.push(run))
    const { id } = newRun()
    await store.create(newRun({ id }))
    expect(await store.cancel(id, 'b')).toBe(true)
    expect(await store.cancel(id, 'b')).toBe(false)
    expect(await store.write('a', [writeOf(id, { chunks: ['1'] })])).toEqual([false])
    expect(await store.get(id)).toMatchObject({ status: 'cancelled', endedAt: expect.any(String) })
    expect(await store.renew('a')).toEqual(new Set())
    await expect.poll(() => told).toContain(id)
  })

  it('notifies the other processes about chunks', async () => {
    const store = await open()
    const told = { a: [] as (string | null)[], c: [] as (string | null)[] }
    await store.join('a', (run) => told.a.push(run))
    await store.join('c', (run) => told.c.push(run))
    const { id } = newRun()
    await store.create(newRun({ id }))
    await store.write('a', [writeOf(id, { chunks: ['1'] })])
    await expect.poll(() => told.c).toContain(id)
    expect(told.a).not.toContain(id)
    await store.release('a', [id])
    // Readers have nothing to read: null would make all of them read.
    await expect.poll(() => told.c).toContain('*')
    expect(told.c).not.toContain(null)
  })

  it('lists the runs of a user in pages, newest first', async () => {
    const store = await open()
    const ids: string[] = []
    for (let count = 0; count < 5; count++) {
      const run = newRun({ userId: 'ada', thread: count === 2 ? 'two' : null })
      await store.create(run)
      ids.unshift(run.id)
    }
    await store.create(newRun({ userId: 'bob' }))
    const query = { agent: 'writer', of: { userId: 'ada' }, thread: null, limit: 3, after: null }
    const first = await store.list(query)
    const rest = await store.list({ ...query, after: first.at(-1) ?? null })
    // Runs of the same millisecond are sorted by id.
    const byTime = [...first, ...rest]
    expect(byTime.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(byTime.map(({ createdAt }) => createdAt)).toEqual(
      byTime
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    )
    expect(await store.list({ ...query, thread: 'two' })).toMatchObject([{ id: ids[2], thread: 'two' }])
  })

  it('deletes the content of expired runs, and all runs of a user', async () => {
    const store = await open()
    const [{ id }, { id: other }, { id: own }] = [newRun(), newRun(), newRun()]
    await store.create(newRun({ id, keepFor: 0.001 }))
    await store.create(newRun({ id: other }))
    await store.create(newRun({ id: own, userId: 'ada' }))
    const steps = [{ name: 'plan', value: '1', chunks: 1 }]
    const end = { status: 'done', output: '7', error: null } as const
    for (const one of [id, other]) await store.write('a', [writeOf(one, { chunks: ['1'], steps, end })])
    await new Promise((resolve) => setTimeout(resolve, 20))
    await store.sweep([])
    expect(await store.get(id)).toMatchObject({ isGone: true, output: null })
    expect((await store.read(id, 0))?.pages).toEqual([])
    expect(await store.stepValue(id, 'plan')).toBeNull()
    expect(await store.get(other)).toMatchObject({ isGone: false, output: '7' })
    const told: (string | null)[] = []
    await store.join('a', (run) => told.push(run))
    await store.deleteUser('ada')
    expect(await store.get(own)).toBeNull()
    await expect.poll(() => told).toContain(own)
  })
}
