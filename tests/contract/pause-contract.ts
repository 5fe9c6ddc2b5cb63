import { INLINE_SIZE, type FinishedStep, type RunPause, type RunStore, type SendOutcome } from '@sdk/server'
import { expect, it } from 'vitest'
import { claimWriter, newRun, writeOf } from './run-contract.ts'

/** Returns the pause of a run that sleeps until a time. */
function pauseOf(time: number): RunPause {
  const until = new Date(time).toISOString()
  return { status: 'waiting', dueAt: until, waiting: { event: null, id: null, ask: null, until }, events: [] }
}

/** Returns the pause of a run that waits for `approval`. */
function waitOf(dueAt: string | null = null, events: readonly string[] = ['approval']): RunPause {
  const waiting = { event: 'approval', id: null, ask: '\u0000', until: dueAt }
  return { status: 'waiting', dueAt, waiting, events }
}

/** An event for `approval`, and the end of its timeout. */
export const YES = { key: 'approval', value: '{"ok":true}', print: 'yes' }
const NO = { key: 'approval', value: '{"ok":false}', print: 'no' }
export const TIMED_OUT = { key: 'approval', value: null, print: '' }

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
    const waiting = JSON.stringify(pauseOf(now + 3_600_000).waiting)
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

  it('claims the runs of lost processes first, and then those that are ready for the longest time', async () => {
    const store = await open()
    const [woken, queued, later, lost] = [newRun(), newRun({ process: null }), newRun(), newRun({ process: 'c' })]
    for (const run of [woken, later]) await store.create(run)
    await store.write('a', [writeOf(woken.id, { end: pauseOf((await store.now()) - 60_000) })])
    await store.create(queued)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.write('a', [writeOf(later.id, { end: pauseOf((await store.now()) - 1) })])
    await store.create(lost)
    const claimed: (string | undefined)[] = []
    for (let count = 0; count < 4; count++) claimed.push((await claimWriter(store, 'b', 1))[0]?.id)
    expect(claimed).toEqual([lost.id, woken.id, queued.id, later.id])
  })

  it('retracts chunks after a pause only if there are some after the last step', async () => {
    const store = await open()
    const [whole, more] = [newRun(), newRun()]
    for (const run of [whole, more]) await store.create(run)
    const steps = [{ name: 'nap', value: '1', chunks: 2 }]
    await store.write('a', [
      writeOf(whole.id, { chunks: ['0', '1'], steps, end: pauseOf(0) }),
      writeOf(more.id, { chunks: ['0', '1', '2'], steps, end: pauseOf(0) }),
    ])
    expect(await claimWriter(store, 'b')).toHaveLength(2)
    expect(await store.get(whole.id)).toMatchObject({ epoch: 2, chunks: 2, retractions: [] })
    expect(await store.get(more.id)).toMatchObject({ epoch: 2, chunks: 2, retractions: [[2, 2]] })
    await store.write('b', [writeOf(whole.id, { epoch: 2, first: 2, chunks: ['two'] })])
    const read = await store.read(whole.id, 0)
    expect(read?.pages.flatMap(({ chunks }) => chunks)).toEqual(['0', '1', 'two'])
  })

  it('continues a run that waits for an event when it is sent, and notifies the other processes', async () => {
    const store = await open()
    const told: (string | null)[] = []
    await store.join('c', (run) => told.push(run))
    const { id } = newRun()
    await store.create(newRun({ id }))
    await store.write('a', [writeOf(id, { end: waitOf(null, ['other', 'approval']) })])
    expect(JSON.parse((await store.get(id))?.waiting ?? '')).toMatchObject({ event: 'approval', ask: '\u0000' })
    expect(await store.send({ run: id, ...YES, key: 'approval second' }, 'b')).toBe('sent')
    expect(await claimWriter(store, 'b')).toEqual([])
    expect(await store.event(id, 'approval')).toBeNull()
    expect(await store.send({ run: id, ...YES }, 'b')).toBe('sent')
    await expect.poll(() => told).toEqual(expect.arrayContaining([id, '*']))
    expect(await claimWriter(store, 'b')).toMatchObject([{ id, epoch: 2 }])
    expect(await store.event(id, 'approval')).toMatchObject({ value: YES.value })
    expect(await store.send({ run: id, ...YES }, 'b')).toBe('joined')
    expect(await store.send({ run: id, ...NO }, 'b')).toBe('reused')
    await store.cancel(id, 'b')
    expect(await store.send({ run: id, ...YES }, 'b')).toBe('joined')
    expect(await store.send({ run: id, ...YES, key: 'third' }, 'b')).toBe('ended')
    expect(await store.event(id, 'third')).toBeNull()
  })

  it('returns the steps in the order in which they were stored, and the events, with short values', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    const names = Array.from({ length: 40 }, (_, index) => `${(index * 7) % 40}`)
    const toStep = (name: string): FinishedStep => ({ name, value: name, chunks: 0 })
    await store.write('a', [writeOf(id, { steps: names.slice(0, 30).map(toStep) })])
    await store.write('a', [writeOf(id, { steps: names.slice(30).map(toStep) })])
    // A repeated write has no effect.
    await store.write('a', [writeOf(id, { steps: names.slice(0, 9).map(toStep) })])
    const long = JSON.stringify('x'.repeat(INLINE_SIZE))
    await store.write('a', [writeOf(id, { steps: [{ name: 'none', value: null, chunks: 0 }] })])
    await store.write('a', [writeOf(id, { steps: [{ name: 'long', value: long, chunks: 3 }] })])
    const steps = await store.steps(id)
    expect([...steps.keys()]).toEqual([...names, 'none', 'long'])
    expect(steps.get('7')).toEqual({ chunks: 0, value: '7' })
    expect(steps.get('none')).toEqual({ chunks: 0, value: null })
    expect(steps.get('long')).toEqual({ chunks: 3, value: undefined })
    expect(await store.stepValue(id, 'long')).toBe(long)
    for (const event of [YES, { ...TIMED_OUT, key: 'late' }, { key: 'large', value: long, print: '' }])
      await store.send({ run: id, ...event }, 'b')
    expect(await store.events(id)).toEqual(
      new Map([
        ['approval', { value: YES.value }],
        ['late', { value: null }],
        ['large', { value: undefined }],
      ]),
    )
  })

  it('makes a run due at once if the event was sent before the wait', async () => {
    const store = await open()
    const { id } = newRun()
    await store.create(newRun({ id }))
    expect(await store.send({ run: id, ...YES }, 'b')).toBe('sent')
    expect(await store.get(id)).toMatchObject({ status: 'running', epoch: 1 })
    await store.write('a', [writeOf(id, { end: waitOf('2999-01-01T00:00:00.000Z') })])
    expect(await claimWriter(store, 'b')).toMatchObject([{ id, epoch: 2 }])
    // An event continues only the runs that wait for it.
    await store.write('b', [writeOf(id, { epoch: 2, end: waitOf(null, ['other']) })])
    expect(await claimWriter(store, 'b')).toEqual([])
  })

  it('never loses an event that is sent while its run pauses', async () => {
    const store = await open()
    const runs = Array.from({ length: 30 }, () => newRun())
    for (const run of runs) await store.create(run)
    await Promise.all(
      runs.flatMap(({ id }) => [
        store.write('a', [writeOf(id, { end: waitOf() })]),
        store.send({ run: id, ...YES }, 'b'),
      ]),
    )
    const claimed = await claimWriter(store, 'b', 100)
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted())
  })

  it('stores one of several events that are sent at once, or the timeout', async () => {
    const store = await open()
    for (let round = 0; round < 5; round++) {
      const { id } = newRun()
      await store.create(newRun({ id }))
      await store.write('a', [writeOf(id, { end: waitOf() })])
      const events = [YES, NO, TIMED_OUT, YES, NO, TIMED_OUT]
      const outcomes = await Promise.all(events.map((event) => store.send({ run: id, ...event }, 'b')))
      const winner = events[outcomes.indexOf('sent')]
      expect(await store.event(id, 'approval')).toMatchObject({ value: winner?.value })
      const expected: SendOutcome[] = events.map(({ print }) => (print === winner?.print ? 'joined' : 'reused'))
      expect(outcomes.with(outcomes.indexOf('sent'), 'joined')).toEqual(expected)
    }
  })

  it('notifies processes that claim runs only of events that a run waits for', async () => {
    const store = await open()
    const seen: (string | null)[] = []
    await store.join('c', (run) => seen.push(run))
    const { id } = newRun()
    await store.create(newRun({ id }))
    await store.write('a', [writeOf(id, { end: waitOf() })])
    await store.send({ run: id, ...YES, key: 'unused' }, 'b')
    await expect.poll(() => seen.filter((run) => run === id).length).toBe(2)
    expect(seen).not.toContain('*')
  })

  it('either ends or cancels a run, and sends it an event before that or not at all', async () => {
    const store = await open()
    const end = { status: 'done', output: '7', error: null } as const
    for (let round = 0; round < 10; round++) {
      const { id } = newRun()
      await store.create(newRun({ id }))
      const [[isDone], isCancelled, sent] = await Promise.all([
        store.write('a', [writeOf(id, { end })]),
        store.cancel(id, 'b'),
        store.send({ run: id, ...YES }, 'b'),
      ])
      expect(isDone).toBe(!isCancelled)
      expect((await store.get(id))?.status).toBe(isCancelled ? 'cancelled' : 'done')
      expect((await store.event(id, 'approval')) !== null).toBe(sent === 'sent')
    }
  })

  it('lists the runs that wait for an event in pages, and deletes events with their run', async () => {
    const store = await open()
    const [first, second, sleeping, own] = [newRun(), newRun({ userId: 'bob' }), newRun(), newRun({ userId: 'ada' })]
    for (const run of [first, second, sleeping, own]) await store.create(run)
    await store.write('a', [
      writeOf(first.id, { end: waitOf() }),
      writeOf(second.id, { end: waitOf(null, ['other', 'approval two']) }),
      writeOf(sleeping.id, { end: pauseOf(Date.now() + 1e9) }),
      writeOf(own.id, { end: waitOf(null, ['approval2']) }),
    ])
    const query = { agent: 'writer', of: { waiting: 'approval' }, thread: null, limit: 1, after: null }
    const page = await store.list(query)
    const rest = await store.list({ ...query, limit: 9, after: page[0] ?? null })
    expect([...page, ...rest].map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted())
    expect(await store.list({ ...query, agent: 'reader' })).toEqual([])
    await store.send({ run: own.id, ...YES }, 'b')
    await store.deleteUser('ada')
    expect(await store.event(own.id, 'approval')).toBeNull()
  })
}
