import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, DATABASE_KINDS, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Database, migrate, openDatabase } from './index.ts'
import { storeOf } from './table/table.test.fixture.ts'

for (const { kind, isHere, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`database.transaction on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
      await database.query('create table notes (id int primary key, text text)')
    })
    beforeEach(async () => void (await database.query('delete from notes')))
    afterAll(() => database.close())

    const ids = async (): Promise<number[]> =>
      (await database.query<{ id: number }>('select id from notes order by id')).map(({ id }) => id)
    const insert = (id: number): Promise<unknown> => database.query('insert into notes values ($1)', [id])

    it('includes the queries of the database, however deep they are called', async () => {
      const deep = async (id: number): Promise<number[]> => {
        await delay(1)
        await insert(id)
        return ids()
      }
      const failing = database.transaction(async ({ query }) => {
        await query('insert into notes values (1)')
        expect(await deep(2)).toEqual([1, 2])
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await ids()).toEqual([])
      expect(await database.transaction(() => deep(3))).toEqual([3])
    })

    it('does not include the queries of others', async () => {
      let begun = (): void => {}
      const running = new Promise<void>((resolve) => (begun = resolve))
      const failing = database.transaction(async () => {
        await insert(1)
        begun()
        await delay(20)
        throw new Error('rolled back')
      })
      await running
      const other = insert(2)
      await expect(failing).rejects.toThrow('rolled back')
      await other
      expect(await ids()).toEqual([2])
    })

    it('runs statements one at a time, and those that were not awaited before the commit', async () => {
      await database.transaction(async ({ query }) => {
        await Promise.all(Array.from({ length: 20 }, (_, id) => (id % 2 === 0 ? insert(id) : query('select 1'))))
        void insert(50)
        void insert(51)
      })
      expect(await ids()).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 50, 51])
    })

    it('uses a savepoint for a transaction in a transaction', async () => {
      await database.transaction(async ({ query }) => {
        await insert(1)
        const inner = database.transaction(async () => {
          await insert(2)
          await query('insert into notes values (3)') // the outer one, which waits for the inner one otherwise
          await insert(1)
        })
        await expect(inner).rejects.toMatchObject({ code: '23505' })
        const swallowing = database.transaction(() => insert(1).catch(() => {}))
        await expect(swallowing).rejects.toThrow('rolled back because a statement failed')
        await database.transaction(() => database.transaction(() => insert(4)))
      })
      expect(await ids()).toEqual([1, 4])
    })

    it('runs concurrent savepoints one after the other', async () => {
      await database.transaction(async () => {
        const settled = await Promise.allSettled([
          database.transaction(async () => (await insert(1), await delay(5), await insert(2))),
          database.transaction(async () => (await insert(3), await delay(5), await insert(3))),
          insert(4),
        ])
        expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      })
      expect(await ids()).toEqual([1, 2, 4])
    })

    it('refuses the queries of work that outlives it', async () => {
      let outlive = (): void => {}
      const ended = new Promise<void>((resolve) => (outlive = resolve))
      let late: Promise<unknown>[] = []
      await database.transaction(async ({ query }) => {
        late = [
          ended.then(() => insert(1)),
          ended.then(() => query('select 1')),
          ended.then(() => database.transaction(() => insert(2))),
          ended.then(() => database.pool.query('select 1')),
        ]
      })
      outlive()
      for (const work of late) await expect(work).rejects.toThrow('The transaction has ended: await every query')
      expect(await ids()).toEqual([])
    })

    it('refuses the pool and migrations at once, and goes on', async () => {
      await database.transaction(async () => {
        await insert(1)
        await expect(database.pool.query('select 1')).rejects.toThrow('database.pool cannot be used inside')
        await expect(database.pool.connect()).rejects.toThrow('before or after it')
        await expect(migrate(database, 'x', () => insert(2))).rejects.toThrow('migrate cannot be used inside')
      })
      expect(await ids()).toEqual([1])
      expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    })

    it('refuses another database, and leaves that one alone', async () => {
      const other = openDatabase('pglite://memory')
      await database.transaction(async () => {
        await insert(1)
        await expect(other.query('select 1')).rejects.toThrow('a transaction cannot use two databases')
        await expect(other.transaction(() => insert(2))).rejects.toThrow('a transaction cannot use two databases')
      })
      expect(await ids()).toEqual([1])
      await other.close()
    })

    it('ends after its timeout, and the next one works', async () => {
      const slow = database.transaction(
        async () => {
          await insert(1)
          await new Promise(() => {})
        },
        { timeout: 50 },
      )
      await expect(slow).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: 'The transaction did not finish within 50 ms',
      })
      const busy = database.transaction(() => database.query('select pg_sleep(1)'), { timeout: 50 })
      await expect(busy).rejects.toThrow('did not finish within 50 ms')
      const inner = database.transaction(() => database.transaction(() => new Promise(() => {})), { timeout: 50 })
      await expect(inner).rejects.toThrow('did not finish within 50 ms')
      expect(await ids()).toEqual([])
    })

    it('has the isolation level that it is given, and keeps it inside', async () => {
      const level = `select current_setting('transaction_isolation') as level`
      const serializable = { isolation: 'serializable' } as const
      expect(await database.transaction(() => database.query(level), serializable)).toEqual([{ level: 'serializable' }])
      const stricter = database.transaction(() => database.transaction(() => insert(1), serializable))
      await expect(stricter).rejects.toThrow('isolation must be read committed, as in')
      await expect(database.transaction(() => insert(1), { timeout: -1 })).rejects.toThrow(TypeError)
      await expect(database.transaction(() => insert(1), { isolation: 'none' as never })).rejects.toThrow(
        'isolation must be one of read committed, repeatable read, serializable, got none',
      )
    })

    it('uses AsyncLocalStorage, which migrations, tables and their idempotency keys do not', async () => {
      const run = vi.spyOn(AsyncLocalStorage.prototype, 'run')
      const store = storeOf(database, 'cheap', { fields: { title: z.string() } })
      await store.create({ title: 'a', ownerId: 'ada' })
      await store.once({ key: 'k', print: 'p', seconds: 9 }, async (inner) =>
        String((await inner.create?.({ title: 'b' }))?.id),
      )
      await migrate(database, 'cheap', ({ query }) => query('alter table cheap add column note text'))
      expect(run).not.toHaveBeenCalled()
      await database.transaction(() => insert(1))
      expect(run).toHaveBeenCalledOnce()
    })

    it('limits the statements that wait', async () => {
      const flood = database.transaction(() =>
        Promise.all(Array.from({ length: 10_002 }, () => database.query('select 1'))),
      )
      await expect(flood).rejects.toThrow('at most 10000 queued statements')
    })
  })
}

describe.skipIf(!hasPostgres())('database.transaction of concurrent callers', () => {
  let database: Database
  beforeAll(async () => {
    database = openDatabase(await createDatabase())
    await database.query('create table accounts (id int primary key, amount int not null)')
  })
  beforeEach(async () => {
    await database.query('delete from accounts')
    await database.query('insert into accounts select id, 100 from generate_series(1, 4) as id')
  })
  afterAll(() => database.close())

  const total = async (): Promise<unknown> =>
    (await database.query('select sum(amount)::int as total from accounts'))[0]

  /** Returns a function that waits until it has been called `count` times. Later calls do not wait. */
  function meet(count: number): () => Promise<void> {
    let [calls, arrive] = [0, (): void => {}]
    const all = new Promise<void>((resolve) => (arrive = resolve))
    return () => {
      calls += 1
      if (calls === count) arrive()
      return all
    }
  }

  it('retries deadlocks, so that transfers in all orders succeed and lose nothing', async () => {
    let runs = 0
    const met = meet(4)
    const transfer = (from: number, to: number): Promise<unknown> =>
      database.transaction(async () => {
        runs += 1
        await database.query('update accounts set amount = amount - 1 where id = $1', [from])
        await met()
        await database.query('update accounts set amount = amount + 1 where id = $1', [to])
      })
    await Promise.all([transfer(1, 2), transfer(2, 1), transfer(3, 4), transfer(4, 3)])
    expect(await total()).toEqual({ total: 400 })
    expect(runs).toBeGreaterThan(4)
  })

  it('retries serialization failures, even if the work has caught and replaced the error', async () => {
    let runs = 0
    const met = meet(2)
    const addSum = (id: number): Promise<unknown> =>
      database.transaction(
        async ({ query }) => {
          runs += 1
          const [row] = await query<{ sum: number }>('select sum(amount) as sum from accounts')
          await met()
          await query('update accounts set amount = $2 where id = $1', [id, row?.sum]).catch(() => {
            throw new Error('another error')
          })
        },
        { isolation: 'serializable' },
      )
    await Promise.all([addSum(1), addSum(2)])
    // One saw the change of the other, in some order: 400, then 700.
    const rows = await database.query<{ amount: number }>('select amount from accounts order by amount')
    expect(rows.map(({ amount }) => amount)).toEqual([100, 100, 400, 700])
    expect(runs).toBeGreaterThan(2)
  })

  it('ends while it waits for a lock, before the lock is free', async () => {
    const url = await createDatabase()
    const patient = openDatabase(`${url}?query_timeout=0`)
    await patient.query('create table notes (id int)')
    const client = await patient.pool.connect()
    await client.query('begin; lock table notes')
    const waiting = patient.transaction(() => patient.query('select * from notes'), { timeout: 50 })
    await expect(waiting).rejects.toThrow('did not finish within 50 ms')
    const others = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(() => patient.query(others)).toEqual([])
    await client.query('rollback')
    client.release()
    expect(await patient.transaction(() => patient.query('select * from notes'))).toEqual([])
    await patient.close()
  })

  it('gives up after five retries', async () => {
    let runs = 0
    const failing = database.transaction(async ({ query }) => {
      runs += 1
      await query(`do $$ begin raise exception using errcode = '40P01'; end $$`)
    })
    await expect(failing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
    expect(runs).toBe(6)
  })

  it('joins a second database of the same URL', async () => {
    const url = await createDatabase()
    const [one, two] = [openDatabase(url), openDatabase(url)]
    await one.query('create table notes (id int)')
    await one.transaction(async () => {
      await one.query('insert into notes values (1)')
      expect(await two.query('select id from notes')).toEqual([{ id: 1 }])
    })
    await Promise.all([one.close(), two.close()])
  })
})
