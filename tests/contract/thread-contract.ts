import type { NewRun, RunEnd, RunStore } from '@sdk/server'
import { expect, it } from 'vitest'
import { claimWriter, newRun, writeOf } from './run-contract.ts'

const REF = { agent: 'writer', userId: 'ada', thread: 't' }

const end = (more: Partial<RunEnd> = {}): RunEnd => ({ status: 'done', output: null, error: null, ...more })

const inThread = (more: Partial<NewRun> = {}): NewRun => newRun({ userId: 'ada', thread: 't', ...more })

/** The contract of every store for threads. `open` returns a store with the processes `a` and `b`. */
export function threadContract(open: () => Promise<RunStore>): void {
  it('adds a thread with its first run, and stores its state with the end of a run', async () => {
    const store = await open()
    const { threads } = store
    expect(await threads.get(REF)).toBeNull()
    const first = inThread()
    await store.create(first)
    expect(await threads.get(REF)).toEqual({ thread: 't', state: null, usedAt: expect.any(String) })
    await store.write('a', [writeOf(first.id, { end: end({ state: '{"count":1}' }) })])
    expect(await threads.get(REF)).toMatchObject({ state: '{"count":1}' })
    const second = inThread()
    await store.create(second)
    expect(await threads.get(REF)).toMatchObject({ state: '{"count":1}' })
    await store.write('a', [writeOf(second.id, { end: end() })])
    expect(await threads.get(REF)).toMatchObject({ state: '{"count":1}' })
    for (const other of [{ agent: 'painter' }, { userId: 'bob' }, { thread: 'u' }])
      expect(await threads.get({ ...REF, ...other })).toBeNull()
  })

  it('does not store the state of a run that belongs to another process or epoch', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(inThread({ id }))
    const write = writeOf(id, { end: end({ state: '"late"' }) })
    expect(await store.write('b', [write])).toEqual([false])
    expect(await store.write('a', [{ ...write, epoch: 2 }])).toEqual([false])
    await store.cancel(id, 'a')
    expect(await store.write('a', [write])).toEqual([false])
    expect(await store.threads.get(REF)).toMatchObject({ state: null })
  })

  it('stores the states of several threads with one write', async () => {
    const store = await open()
    const runs = ['t', 'u', 'v'].map((thread) => inThread({ thread }))
    for (const run of [...runs, newRun()]) await store.create(run)
    const writes = runs.map(({ id, thread }) => writeOf(id, { chunks: ['1'], end: end({ state: `"${thread}"` }) }))
    await store.write('a', writes)
    for (const thread of ['t', 'u', 'v'])
      expect(await store.threads.get({ ...REF, thread })).toMatchObject({ state: `"${thread}"` })
  })

  it('refuses a second unfinished run of a thread, unless it waits for its turn', async () => {
    const store = await open()
    const first = inThread()
    expect(await store.create(first)).toEqual({ outcome: 'created', id: first.id })
    expect(await store.create(inThread())).toEqual({ outcome: 'busy', id: first.id })
    expect(await store.create(inThread({ userId: 'bob' }))).toMatchObject({ outcome: 'created' })
    expect(await store.create(inThread({ isInTurn: true, process: null }))).toMatchObject({ outcome: 'created' })
    expect(await store.create(inThread())).toMatchObject({ outcome: 'busy' })
  })

  it('creates one of several runs of a thread that are created at once', async () => {
    const store = await open()
    const created = await Promise.all(Array.from({ length: 8 }, () => store.create(inThread())))
    expect(created.map(({ outcome }) => outcome).toSorted()).toEqual([...Array(7).fill('busy'), 'created'])
  })

  it('claims the runs of a thread one at a time and in order, in any process', async () => {
    const store = await open()
    const runs = Array.from({ length: 6 }, () => inThread({ isInTurn: true, process: null }))
    for (const run of runs) await store.create(run)
    const [other] = [inThread({ thread: 'u', isInTurn: true, process: null })]
    await store.create(other)
    const claim = async (): Promise<{ id: string; process: string; thread: string | null }[]> => {
      const claimed = await Promise.all(
        ['a', 'b', 'a', 'b'].map(async (process) =>
          (await claimWriter(store, process)).map(({ id, thread }) => ({ id, process, thread })),
        ),
      )
      return claimed.flat()
    }
    const [first, second] = (await claim()).toSorted((one, two) => ((one.thread ?? '') < (two.thread ?? '') ? -1 : 1))
    expect([first?.id, second?.id]).toEqual([runs[0]?.id, other.id])
    let current = first
    for (const [index, run] of runs.entries()) {
      expect(current?.id).toBe(run.id)
      expect(await claim()).toEqual([])
      // Also a run that pauses keeps its turn.
      await (index % 2 === 0
        ? store.write(current?.process ?? '', [writeOf(run.id, { end: end() })])
        : store.cancel(run.id, 'a'))
      const next = await claim()
      expect(next).toHaveLength(index === runs.length - 1 ? 0 : 1)
      current = next[0]
    }
  })

  it('gives runs of a thread that are created at once their turns in order', async () => {
    const store = await open()
    const runs = Array.from({ length: 12 }, (_, index) =>
      inThread({ thread: index % 3 === 2 ? 'u' : 't', isInTurn: true, process: null }),
    )
    const created = await Promise.all([...runs, newRun()].map((run) => store.create(run)))
    expect(created.filter(({ outcome }) => outcome !== 'created')).toEqual([])
    const order: string[] = []
    for (let count = 0; count < 8; count++) {
      const claimed = await claimWriter(store, 'a')
      expect(new Set(claimed.map(({ thread }) => thread)).size).toBe(claimed.length)
      order.push(...claimed.map(({ id }) => id))
      const writes = claimed.map(({ id }) => writeOf(id, { end: end({ state: '1' }) }))
      await store.write('a', writes)
    }
    for (const thread of ['t', 'u']) {
      const ids = runs.filter((run) => run.thread === thread).map(({ id }) => id)
      expect(order.filter((id) => ids.includes(id))).toEqual(ids)
    }
  })

  it('lets a run wait for an earlier one of its thread that is not due yet', async () => {
    const store = await open()
    const dueAt = new Date((await store.now()) + 300).toISOString()
    const [first, second] = [{ dueAt }, {}].map((more) => inThread({ ...more, isInTurn: true, process: null }))
    for (const run of [first, second]) await store.create(run as NewRun)
    expect(await claimWriter(store, 'a')).toEqual([])
    await expect.poll(async () => (await claimWriter(store, 'a')).map(({ id }) => id)).toEqual([first?.id])
    expect(await claimWriter(store, 'a')).toEqual([])
    await store.cancel(first?.id ?? '', 'a')
    expect(await claimWriter(store, 'a')).toMatchObject([{ id: second?.id, thread: 't' }])
  })

  it('claims only one run of a thread while runs are created and claimed at once', async () => {
    const store = await open()
    const active = new Set<string>()
    const order: string[] = []
    let [created, ended] = [0, 0]
    const create = async (): Promise<void> => {
      for (let count = 0; count < 10; count++) {
        await store.create(inThread({ isInTurn: true, process: null }))
        created += 1
      }
    }
    const work = async (process: string): Promise<void> => {
      while (ended < 40) {
        await new Promise((resolve) => setImmediate(resolve))
        for (const { id } of await claimWriter(store, process)) {
          active.add(id)
          order.push([...active].join(' '))
          await new Promise((resolve) => setImmediate(resolve))
          active.delete(id)
          await store.write(process, [writeOf(id, { end: end() })])
          ended += 1
        }
      }
    }
    await Promise.all([create(), create(), create(), create(), work('a'), work('b'), work('a'), work('b')])
    expect(created).toBe(40)
    expect(new Set(order).size).toBe(40)
    expect(order.filter((ids) => ids.includes(' '))).toEqual([])
  })

  it('lists the threads of a user in pages, last used first', async () => {
    const store = await open()
    for (const thread of ['one', 'two', 'three', 'four', 'two', 'one']) {
      const run = inThread({ thread })
      await store.create(run)
      await store.write('a', [writeOf(run.id, { end: end({ state: '1' }) })])
      await new Promise((resolve) => setTimeout(resolve, 3)) // the order is by time
    }
    await store.create(inThread({ userId: 'bob' }))
    await store.create(inThread({ agent: 'painter' }))
    const query = { agent: 'writer', userId: 'ada', limit: 3, after: null }
    const first = await store.threads.list(query)
    expect(first.map(({ thread }) => thread)).toEqual(['one', 'two', 'four'])
    const rest = await store.threads.list({ ...query, after: first.at(-1) ?? null })
    expect(rest).toEqual([{ thread: 'three', state: null, usedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) }])
  })

  it('cancels the unfinished runs of a thread, and deletes the thread with its runs', async () => {
    const store = await open()
    const [old, current, queued] = [inThread(), inThread(), inThread({ isInTurn: true, process: null })]
    const others = [inThread({ thread: 'u' }), inThread({ userId: 'bob' })]
    await store.create(old)
    const steps = [{ name: 'plan', value: '1', chunks: 1 }]
    await store.write('a', [writeOf(old.id, { chunks: ['1'], steps, end: end({ state: '1' }) })])
    for (const run of [current, queued, ...others]) await store.create(run)
    expect((await store.threads.cancel(REF, 'b')).toSorted()).toEqual([current.id, queued.id].toSorted())
    expect(await store.threads.cancel(REF, 'b')).toEqual([])
    expect(await store.get(queued.id)).toMatchObject({ status: 'cancelled' })
    await store.threads.delete(REF)
    expect(await store.threads.get(REF)).toBeNull()
    for (const { id } of [old, current, queued]) expect(await store.get(id)).toBeNull()
    expect(await store.stepValue(old.id, 'plan')).toBeNull()
    for (const { id } of others) expect(await store.get(id)).toMatchObject({ status: 'running' })
    expect(await store.threads.get({ ...REF, userId: 'bob' })).not.toBeNull()
    expect(await store.create(inThread())).toMatchObject({ outcome: 'created' })
  })

  it('deletes the threads of a deleted user', async () => {
    const store = await open()
    for (const userId of ['ada', 'bob']) await store.create(inThread({ userId }))
    await store.deleteUser('ada')
    expect(await store.threads.get(REF)).toBeNull()
    expect(await store.threads.get({ ...REF, userId: 'bob' })).not.toBeNull()
  })
}
