import { DATABASE_KINDS, hasPostgres, startPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Database, migrate, openDatabase } from './index.ts'

for (const { kind, isHere, url, open } of DATABASE_KINDS) {
  describe.skipIf(!isHere)(`a database on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = openDatabase(await url())
      await database.ready()
      await database.query('create table notes (id int primary key, text text)')
    })
    afterAll(() => database.close())

    const texts = async (): Promise<string[]> =>
      (await database.query<{ text: string }>('select text from notes order by id')).map((row) => row.text)

    it('exposes its kind', () => {
      expect(database.kind).toBe(kind)
    })

    it('accepts parameters and returns rows with JavaScript values', async () => {
      const [row] = await database.query(`select $1::int as number, $2::jsonb as json, $3::timestamptz as time`, [
        7,
        { a: [1] },
        '2026-01-02T03:04:05.678Z',
      ])
      expect(row).toEqual({ number: 7, json: { a: [1] }, time: new Date('2026-01-02T03:04:05.678Z') })
    })

    it('returns bigint values as numbers, or as strings if they are too large', async () => {
      const sql = `select 7::bigint as id, count(*), null::bigint as none, 9007199254740993::bigint as large, '8' as text
        from generate_series(1, 3)`
      const row = { id: 7, count: 3, none: null, large: '9007199254740993', text: '8' }
      expect(await database.query(sql)).toEqual([row])
      expect(await database.query({ name: 'numbers', text: sql })).toEqual([row])
      expect(await database.transaction((transaction) => transaction.query(sql))).toEqual([row])
    })

    it.each(['UTC', 'Asia/Tokyo', 'America/Sao_Paulo'])('returns dates as text in the time zone %s', async (zone) => {
      vi.stubEnv('TZ', zone)
      // In São Paulo, this day began at 01:00.
      const sql = `select date '2018-11-04' as day, null::date as none, '{0099-12-31,null}'::date[] as days, date 'infinity' as end`
      const row = { day: '2018-11-04', none: null, days: ['0099-12-31', null], end: Infinity }
      expect(await database.query(sql)).toEqual([row])
      vi.unstubAllEnvs()
    })

    it('returns rows of text as arrays, and continues after one of their statements fails', async () => {
      const text = `select (6 / n)::text, 'é,"' as "text", null::text from generate_series($1::int, 3) n order by n`
      const [named, rows] = [{ name: 'texts', text, isText: true }, [2, 3].map((n) => [String(6 / n), 'é,"', null])]
      expect(await database.query(named, [2])).toEqual(rows)
      await expect(database.query(named, [0])).rejects.toThrow('division by zero')
      expect(await database.transaction(({ query }) => query(named, [2]))).toEqual(rows)
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    })

    it('continues to work after a failed statement', async () => {
      await expect(database.query('select * from nowhere')).rejects.toMatchObject({ code: '42P01' })
      await expect(database.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    })

    it('commits a transaction and returns its result', async () => {
      const result = await database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values (1, 'kept')`)
        return 'done'
      })
      expect(result).toBe('done')
      expect(await texts()).toEqual(['kept'])
    })

    it('rolls back a transaction that throws and rejects with its error', async () => {
      const failing = database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values (2, 'lost')`)
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await texts()).toEqual(['kept'])
    })

    it('rejects a statement of a transaction that has ended', async () => {
      let late: (() => Promise<unknown>) | undefined
      await database.transaction(async (transaction) => {
        late = () => transaction.query(`insert into notes values (4, 'late')`)
      })
      await expect(late?.()).rejects.toThrow('The transaction has ended')
      expect(await database.query('select id from notes where id = 4')).toEqual([])
    })

    it('isolates a transaction from other statements', async () => {
      const slow = database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values (3, 'slow')`)
        await transaction.query(`select pg_sleep(0.05)`)
        throw new Error('rolled back')
      })
      const other = database.query(`insert into notes values (4, 'other')`)
      await expect(slow).rejects.toThrow('rolled back')
      await other
      expect(await texts()).toEqual(['kept', 'other'])
    })

    it('discards a pool connection that is released with an error during a transaction', async () => {
      const client = await database.pool.connect()
      await client.query({ name: 'by-name', text: 'select 1 as one' })
      await client.query('begin')
      await client.query(`insert into notes values (5, 'dropped')`)
      client.release(new Error('gave up'))
      expect(await texts()).toEqual(['kept', 'other'])
      const named = await database.pool.query({ name: 'by-name', text: 'select 2 as two' })
      expect(named.rows).toEqual([{ two: 2 }])
    })

    it('runs many queries concurrently', async () => {
      const numbers = Array.from({ length: 50 }, (_, index) => index)
      const rows = await Promise.all(
        numbers.map((number) => database.query<{ number: number }>('select $1::int as number', [number])),
      )
      expect(rows.map(([row]) => row?.number)).toEqual(numbers)
    })

    it('runs one migration of a name at a time', async () => {
      let isRunning = false
      const change = () =>
        migrate(database, 'test', async (transaction) => {
          expect(isRunning).toBe(false)
          isRunning = true
          await transaction.query('create table if not exists migrated (id int primary key)')
          isRunning = false
        })
      await Promise.all([change(), change(), change()])
      expect(await database.query('select * from migrated')).toEqual([])
    })

    it('rejects a transaction that was rolled back after a caught error', async () => {
      const before = await texts()
      const swallowing = database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values (6, 'lost')`)
        await transaction.query('select 1 / 0').catch(() => {})
      })
      await expect(swallowing).rejects.toThrow('rolled back')
      expect(await texts()).toEqual(before)
    })

    it('uses read committed in transactions, regardless of the default isolation level', async () => {
      const single = await open(openDatabase)
      await single.query(`set default_transaction_isolation = 'serializable'`)
      const level = `select current_setting('transaction_isolation') as level`
      expect(await single.query(level)).toEqual([{ level: 'serializable' }])
      expect(await single.transaction((transaction) => transaction.query(level))).toEqual([{ level: 'read committed' }])
      await single.close()
    })

    it('rejects more values than the protocol allows and continues to work', async () => {
      const values = Array.from({ length: 65_536 }, (_, index) => index)
      const text = `select ${values.map((index) => `$${index + 1}::int`).join(' + ')}`
      await expect(database.query(text, values)).rejects.toThrow(TypeError)
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    })

    it('completes queries and transactions that started before close', async () => {
      const asked = Array.from({ length: 15 }, () => database.query('select 1 as one'))
      const worked = database.transaction(async (transaction) => {
        await transaction.query('select 1')
        return transaction.query('select 2 as two')
      })
      const done = database.close()
      await expect(database.query('select 1')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      await expect(database.transaction(async () => {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(await Promise.all(asked)).toEqual(asked.map(() => [{ one: 1 }]))
      expect(await worked).toEqual([{ two: 2 }])
      await done
    })

    it('rejects queries after close and can be closed twice', async () => {
      await database.close()
      await database.close()
      await expect(database.query('select 1')).rejects.toThrow('closed')
    })
  })
}

describe.skipIf(!hasPostgres())('a PostgreSQL server that goes down', () => {
  it('causes SERVICE_UNAVAILABLE until it is back', async () => {
    const server = await startPostgres()
    const database = openDatabase(server.url)
    try {
      await database.ready()
      const held = await database.pool.connect()
      const interrupted = database.transaction(async (transaction) => {
        await Promise.all([transaction.query('select pg_sleep(30)'), server.kill()])
      })
      await expect(interrupted).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 })
      await expect(database.ready()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      held.release()
      await server.start()
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      await database.close()
      await server.stop()
    }
  })
})

describe.skipIf(!hasPostgres())('a PostgreSQL server that refuses statements', () => {
  const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfter: 1 }
  let database: Database
  let configure: (change: string) => Promise<void>
  beforeAll(async () => {
    const url = (await DATABASE_KINDS.find(({ kind }) => kind === 'postgres')?.url()) ?? ''
    const admin = new URL('/postgres', url).href
    configure = async (change) => {
      const server = openDatabase(admin)
      await server.query(`alter database "${new URL(url).pathname.slice(1)}" ${change}`)
      await server.close()
    }
    await configure(`set default_transaction_read_only = on`)
    database = openDatabase(url)
  })
  afterAll(() => database.close())

  it('accepts writes again after it was read-only, such as a standby that was promoted', async () => {
    const write = (): Promise<unknown> => database.query('create table written ()')
    await expect(write()).rejects.toMatchObject(unavailable)
    await expect(database.transaction(({ query }) => query('create table written ()'))).rejects.toMatchObject(
      unavailable,
    )
    await configure('reset default_transaction_read_only')
    expect(await write()).toEqual([])
  })

  it('causes SERVICE_UNAVAILABLE for a statement that exceeds its time limit', async () => {
    const sleeping = database.transaction(async ({ query }) => {
      await query(`set local statement_timeout = '10ms'`)
      await query('select pg_sleep(5)')
    })
    await expect(sleeping).rejects.toMatchObject(unavailable)
  })
})
