import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import { memoryRuns, type InspectableRunStore, type RunStore, type RunWrite, type StoredStep } from '@sdk/server'
import { DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { silent } from './opened-engines.ts'
import { inspectContract } from './inspect-contract.ts'
import { limitContract } from './limit-contract.ts'
import { pauseContract } from './pause-contract.ts'
import { newRun, runContract, writeOf } from './run-contract.ts'
import { scheduleContract } from './schedule-contract.ts'
import { startContract } from './start-contract.ts'
import { threadContract } from './thread-contract.ts'

const TABLES = 'sdk_runs sdk_run_steps sdk_run_pages sdk_run_processes sdk_run_events sdk_run_schedules sdk_threads'
const DELETE_ALL = TABLES.split(' ').map((table) => `delete from ${table};`)

async function joined<Store extends RunStore>(store: Store): Promise<Store> {
  await store.ready()
  await store.join('a', () => {})
  await store.join('b', () => {})
  return store
}

function furtherContracts(open: () => Promise<InspectableRunStore>): void {
  const contracts = [pauseContract, startContract, scheduleContract, threadContract, limitContract]
  for (const contract of contracts) contract(open)
  inspectContract(open)
}

/** Returns the threads that a sweep keeps: an old one, an old one with an unfinished run, or a new one. */
async function findKept(store: RunStore, pass91Days: () => Promise<void>): Promise<string[]> {
  const [old, active, fresh] = ['old', 'active', 'new'].map((thread) => newRun({ userId: 'ada', thread }))
  const end = { status: 'done', output: null, error: null } as const
  for (const run of [old, active]) await store.create(run ?? newRun())
  await store.write('a', [writeOf(old?.id ?? '', { end })])
  await pass91Days()
  await store.create(fresh ?? newRun())
  await store.sweep([])
  const list = await store.threads.list({ agent: 'writer', userId: 'ada', limit: 9, after: null })
  return list.map(({ thread }) => thread).toSorted()
}

describe('memoryRuns', () => {
  runContract(() => joined(memoryRuns()))
  furtherContracts(() => joined(memoryRuns()))

  it('deletes threads that were not used for 90 days, unless they have an unfinished run', async () => {
    let time = Date.now()
    const store = await joined(memoryRuns({ now: () => time }))
    expect(await findKept(store, async () => void (time += 91 * 86_400_000))).toEqual(['active', 'new'])
  })
})

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('postgresRuns on $kind', ({ kind, open }) => {
  let database: Database
  const stores: RunStore[] = []
  const openStore = (lease?: number): InspectableRunStore => {
    const store = postgresRuns({ database, log: silent, ...(lease !== undefined && { lease }) })
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    database = await open(openDatabase)
  })
  afterEach(async () => {
    for (const process of ['a', 'b', 'c']) await stores[0]?.leave(process)
    await Promise.all(stores.splice(0).map((store) => store.close()))
    // A new database for each test would take most of the time.
    await database.query(`do $$ begin ${DELETE_ALL.join(' ')} end $$`)
  })
  afterAll(() => database.close())

  runContract(() => joined(openStore()))
  // The statements are the same on both, so a short run executes the others only on the faster one.
  if (kind === 'postgres' || choose(true, !hasPostgres())) furtherContracts(() => joined(openStore()))

  it('deletes threads that were not used for 90 days, unless they have an unfinished run', async () => {
    const store = await joined(openStore())
    const pass91Days = async (): Promise<void> => {
      await database.query("update sdk_threads set used_at = used_at - interval '91 days'")
    }
    expect(await findKept(store, pass91Days)).toEqual(['active', 'new'])
  })

  it('creates the tables once when several processes start', async () => {
    await database.close()
    database = await open(openDatabase)
    await Promise.all(Array.from({ length: 8 }, () => openStore().ready()))
    const { id } = newRun()
    await openStore().create(newRun({ id }))
    expect(await openStore().get(id)).toMatchObject({ id })
  })

  it('deletes all expired runs and unused threads at once', async () => {
    const store = await joined(openStore())
    await database.query(`insert into sdk_runs (id, agent, print, address, is_stream, keep_for, status, epoch, ended_at,
        expires_at)
      select number, 'writer', '', '', false, 1, 'done', 1, now(), now() from generate_series(1, 1100) as number`)
    await database.query(`insert into sdk_threads (agent, user_id, thread, used_at)
      select 'writer', 'ada', number, now() - interval '91 days' from generate_series(1, 1100) as number`)
    const countRows = (): Promise<unknown> =>
      database.query(`select (select count(*)::int from sdk_runs) as runs,
        (select count(*)::int from sdk_runs where is_gone) as gone, (select count(*)::int from sdk_threads) as threads`)
    await store.sweep([])
    expect(await countRows()).toEqual([{ runs: 1100, gone: 1100, threads: 0 }])
    await database.query('update sdk_runs set expires_at = now()')
    await store.sweep([])
    expect(await countRows()).toEqual([{ runs: 0, gone: 0, threads: 0 }])
  })

  it('deletes what an expired run has waited for', async () => {
    const store = await joined(openStore())
    const { id } = newRun()
    await store.create(newRun({ id, keepFor: 0.001 }))
    const waiting = { event: 'approval', id: null, ask: 'private', until: null }
    await store.send({ run: id, key: 'other private', value: '1', print: '' }, 'b')
    await store.write('a', [writeOf(id, { end: { status: 'waiting', dueAt: null, waiting, events: ['approval'] } })])
    await store.cancel(id, 'a')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await store.sweep([])
    const rows = await database.query('select waiting, waits, events, due_at from sdk_runs where id = $1', [id])
    expect(rows).toEqual([{ waiting: null, waits: null, events: [], due_at: null }])
  })

  it('rejects data that the database refuses with a RangeError, and stores nothing', async () => {
    const store = await joined(openStore())
    const [good, bad] = [newRun(), newRun()]
    for (const run of [good, bad]) await store.create(run)
    await database.query(`alter table sdk_run_pages add constraint bad check (data <> '"bad"')`)
    const writes = [writeOf(good.id, { chunks: ['1'] }), writeOf(bad.id, { chunks: ['"bad"'] })]
    await expect(store.write('a', writes)).rejects.toThrow(RangeError)
    expect((await store.get(good.id))?.chunks).toBe(0)
    await database.query('alter table sdk_run_pages drop constraint bad')
  })

  it('reads the steps of many runs with few statements', async () => {
    const store = await joined(openStore())
    const runs = Array.from({ length: 120 }, () => newRun())
    await Promise.all(runs.map((run) => store.create(run)))
    const steps = (id: string): RunWrite['steps'] =>
      ['a', 'b'].map((name, chunks) => ({ name, value: `"${name} of ${id}"`, chunks }))
    await store.write(
      'a',
      runs.map(({ id }) => writeOf(id, { steps: steps(id) })),
    )
    const queries = vi.spyOn(database, 'query')
    const found = runs.map(async ({ id }) => [await store.steps(id), await store.stepValue(id, 'b')])
    const stored = (id: string): Map<string, StoredStep> => new Map(steps(id).map(({ name, ...step }) => [name, step]))
    expect(await Promise.all(found)).toEqual(runs.map(({ id }) => [stored(id), `"b of ${id}"`]))
    expect(queries.mock.calls.length).toBeLessThanOrEqual(6)
    queries.mockRestore()
  })

  it('writes outside of the transaction of its caller', async () => {
    const store = await joined(openStore())
    const { id } = newRun()
    await store.create(newRun({ id }))
    expect(store.isInTransaction?.()).toBe(false)
    const failed = database.transaction(async () => {
      expect(store.isInTransaction?.()).toBe(true)
      if (database.kind === 'postgres') await store.write('a', [writeOf(id, { chunks: ['1'] })])
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    expect((await store.get(id))?.chunks).toBe(database.kind === 'postgres' ? 1 : 0)
  })
})

describe.runIf(DATABASE_KINDS.some(({ kind, isHere }) => kind === 'postgres' && isHere))('postgresRuns', () => {
  const postgres = DATABASE_KINDS.find(({ kind }) => kind === 'postgres')

  it('sends no notification about chunks while there is only one process', async () => {
    const database = openDatabase((await postgres?.url()) ?? '')
    const listener = await database.pool.connect()
    await listener.query('listen sdk_runs')
    const received: string[] = []
    listener.on('notification', ({ payload = '' }) => received.push(payload))
    const store = postgresRuns({ database, log: silent })
    await store.join('a', () => {})
    const [alone, shared] = [newRun(), newRun()]
    for (const run of [alone, shared]) await store.create(run)
    await store.write('a', [writeOf(alone.id, { chunks: ['1'] })])
    await store.join('b', () => {})
    await store.write('a', [writeOf(shared.id, { chunks: ['1'] })])
    await expect.poll(() => received).toContain(`a ${shared.id}`)
    expect(received).toEqual([`a ${shared.id}`])
    listener.release(true)
    await store.close()
    await database.close()
  })

  describe('with one database', () => {
    const steps = [{ name: 'plan', value: '1', chunks: 2 }]
    let database: Database
    let store: RunStore
    const count = async (text: string, values: unknown[] = []): Promise<number> =>
      Number((await database.pool.query<{ count: string }>(text, values)).rows[0]?.count)
    beforeEach(async () => {
      database = openDatabase((await postgres?.url()) ?? '')
      store = await joined(postgresRuns({ database, log: silent }))
    })
    afterEach(async () => {
      await store.close()
      await database.close()
    })

    /** Calls `work` while a write has locked its run, and continues the write when `work` waits for it. */
    async function whileWriting(id: string, work: () => Promise<void>): Promise<void> {
      await database.pool.query(`create function wait() returns trigger language plpgsql as $$ begin
        if current_query() like '%insert into sdk_run_steps%' then perform pg_advisory_xact_lock(42); end if;
        return null; end $$`)
      await database.pool.query('create trigger wait before update on sdk_runs execute function wait()')
      const locker = await database.pool.connect()
      await locker.query('select pg_advisory_lock(42)')
      const waiting = (): Promise<number> =>
        count(`select count(*) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
      const writing = store.write('a', [writeOf(id, { chunks: ['0', '1'], steps })])
      let working: Promise<void> | undefined
      try {
        await expect.poll(waiting).toBe(1)
        working = work()
        await expect.poll(waiting).toBe(2)
      } finally {
        await locker.query('select pg_advisory_unlock(42)')
        locker.release()
        await Promise.all([writing, working])
      }
    }

    it('holds the lock of a process from the time when it has joined until it leaves', async () => {
      const locks = (): Promise<number> =>
        count(`select count(*) from pg_locks join pg_database on pg_database.oid = database
          where locktype = 'advisory' and datname = current_database()`)
      expect(await locks()).toBe(2)
      await store.leave('a')
      expect(await locks()).toBe(1)
    })

    it('releases a run with the chunks of its last step, beside a write in progress', async () => {
      const { id } = newRun()
      await store.create(newRun({ id }))
      await whileWriting(id, () => store.release('a', [id]))
      expect(await store.claim('b', { agents: ['writer'], limit: 1 })).toMatchObject([{ id, kept: 2 }])
      expect((await store.read(id, 0))?.pages).toEqual([{ epoch: 1, first: 0, chunks: ['0', '1'] }])
    })

    it('deletes the chunks and steps of a deleted user, beside a write in progress', async () => {
      const { id } = newRun()
      await store.create(newRun({ id, userId: 'ada' }))
      await whileWriting(id, () => store.deleteUser('ada'))
      expect(await store.get(id)).toBeNull()
      for (const table of ['sdk_run_pages', 'sdk_run_steps'])
        expect(await count(`select count(*) from ${table} where run = $1`, [id])).toBe(0)
    })
  })
})
