import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '@sdk/server'
import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, migrate, openDatabase, postgresEngine } from './index.ts'

/** The query timeout of these tests in ms. */
const TIMEOUT = 300

const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfter: 1 }

describe.skipIf(!hasPostgres())('a connection that does not respond', () => {
  let url: string
  let other: Database
  const opened: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    url = await createDatabase()
    other = openDatabase(url)
    await other.query('create table notes (text text)')
  })
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()))
    await other.close()
  })

  function open(to = url): Database {
    const database = openDatabase(`${to}?query_timeout=${TIMEOUT}`)
    opened.push(database)
    return database
  }

  /** Locks the table while the work runs. */
  function whileHeld<T>(work: () => Promise<T>): Promise<T> {
    // Not `transaction`, which the statements of other databases could not be a part of.
    return other['~transaction'](async (transaction) => {
      await transaction.query('lock table notes in access exclusive mode')
      return work()
    })
  }

  const countWaiting = async (): Promise<unknown> => {
    const sql = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await other.query(sql))[0]?.['count']
  }

  it('is closed, also on the server, if a statement waits for a lock', async () => {
    const database = open()
    await whileHeld(async () => {
      await expect(database.query('select * from notes')).rejects.toMatchObject(UNAVAILABLE)
      const inside = database.transaction((transaction) => transaction.query('select * from notes'))
      await expect(inside).rejects.toMatchObject(UNAVAILABLE)
      await expect(database.pool.query('select * from notes')).rejects.toThrow(`no response within ${TIMEOUT} ms`)
      await expect.poll(countWaiting).toBe(0)
    })
    expect(await database.query('select * from notes')).toEqual([])
  })

  it('is kept while a transaction is idle', async () => {
    const database = open()
    const keepIdle = (): Promise<unknown> =>
      database.transaction(async (transaction) => {
        await transaction.query(`insert into notes values ('kept')`)
        await pause(TIMEOUT * 3)
        return transaction.query('select text from notes')
      })
    // On a busy machine, the statements themselves may take longer than the timeout.
    await expect.poll(keepIdle).toEqual([{ text: 'kept' }])
  })

  it('has no timeout during a migration', async () => {
    const database = open()
    const changed = migrate(database, 'long', (transaction) => transaction.query(`select pg_sleep(${TIMEOUT / 100})`))
    expect(await changed).toHaveLength(1)
    await expect(database.query(`select pg_sleep(${TIMEOUT / 100})`)).rejects.toMatchObject(UNAVAILABLE)
  })

  it('is closed if the server is silent, and the next connection works', async () => {
    const proxy = await startProxy(url)
    opened.push(proxy)
    const database = open(proxy.url)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    proxy.silence()
    await expect(database.query('select 1 as one')).rejects.toMatchObject(UNAVAILABLE)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('is closed by the engine, too', async () => {
    const proxy = await startProxy(url)
    opened.push(proxy)
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const engine: Engine = postgresEngine(proxy.url, { timeout: TIMEOUT * 5, log })
    opened.push(engine)
    await engine.kv.set('place', 'here')
    proxy.silence()
    await expect(engine.kv.get('place')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect.poll(() => engine.kv.get('place')).toBe('here')
  })

  it('cannot have an invalid query_timeout in its URL', () => {
    expect(() => openDatabase(`${url}?query_timeout=soon`)).toThrow(/query_timeout .* got soon/)
  })

  it('waits only a few seconds for a table lock during a migration', async () => {
    const database = openDatabase(url)
    opened.push(database)
    const change = (): Promise<unknown> =>
      migrate(database, 'held', (transaction) =>
        transaction.query('alter table notes add column if not exists done bool'),
      )
    await whileHeld(async () => {
      await expect(change()).rejects.toMatchObject({
        ...UNAVAILABLE,
        message: expect.stringContaining('long-running transaction'),
      })
    })
    await change()
  })
})

/** Starts a proxy. `silence` stops all data on its open connections; new connections work. */
async function startProxy(url: string): Promise<{ url: string; silence(): void; close(): Promise<void> }> {
  const target = new URL(url)
  const port = Number(target.port)
  let sockets: Socket[] = []
  const server: Server = createServer((client) => {
    const upstream = connect(port, target.hostname)
    sockets.push(client, upstream)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      from
        .on('data', (data: Buffer) => to.write(data))
        .on('error', () => {})
        .on('close', () => to.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  target.port = String(typeof address === 'object' ? address?.port : 0)
  const silenced: Socket[] = []
  return {
    url: target.href,
    silence() {
      for (const socket of sockets) socket.removeAllListeners('data').resume()
      silenced.push(...sockets)
      sockets = []
    },
    async close() {
      for (const socket of [...sockets, ...silenced]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
