import { openDatabase, postgresRuns } from '@sdk/database'
import type { RunStore } from '@sdk/server'
import { DATABASE_KINDS, startPostgres } from '@sdk/test-kit'
import { describe, expect, it, vi } from 'vitest'
import { silent } from './opened-engines.ts'
import { newRun, writeOf } from './run-contract.ts'

const TERMINATE_LISTENERS = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

describe.runIf(DATABASE_KINDS.some(({ kind, isHere }) => kind === 'postgres' && isHere))('postgresRuns', () => {
  const postgres = DATABASE_KINDS.find(({ kind }) => kind === 'postgres')

  it('takes over the runs of a process whose connection ends, and of one whose lease expires', async () => {
    const url = (await postgres?.url()) ?? ''
    const [one, two] = [openDatabase(url), openDatabase(url)]
    const [first, second] = [
      postgresRuns({ database: one, log: silent, lease: 100 }),
      postgresRuns({ database: two, log: silent }),
    ]
    await first.join('first', () => {})
    await second.join('second', () => {})
    const [lost, expired] = [newRun({ process: 'first' }), newRun({ process: 'first' })]
    await first.create(expired)
    const claim = async (): Promise<string[]> =>
      (await second.claim('second', { agents: ['writer'], limit: 10 })).map(({ id }) => id)
    expect(await claim()).toEqual([])
    // The connection is open, but the lease expires.
    const end = "update sdk_run_processes set until = until - interval '100 seconds' where process = 'first'"
    await one.query(end)
    expect(await first.claim('first', { agents: ['writer'], limit: 10 })).toEqual([]) // it still executes its runs
    await expect.poll(claim, { timeout: 10_000 }).toEqual([expired.id]) // PostgreSQL may have just started
    await first.renew('first')
    await first.create(lost)
    expect(await claim()).toEqual([])
    await first.close()
    await expect.poll(claim).toEqual([lost.id])
    await second.close()
    await Promise.all([one.close(), two.close()])
  })

  it('leaves the runs of a process to it while PostgreSQL restarts', async () => {
    const server = await startPostgres()
    const databases = [openDatabase(server.url), openDatabase(server.url)] as const
    const [first, second] = databases.map((database) => postgresRuns({ database, log: silent })) as RunStore[] as [
      RunStore,
      RunStore,
    ]
    await first.join('first', () => {})
    await second.join('second', () => {})
    const { id } = newRun()
    await first.create(newRun({ id, process: 'first' }))
    await databases[0].query('update sdk_run_processes set until = now()') // the leases expire in the meantime
    await server.kill()
    await server.start()
    const claim = (): Promise<unknown> => second.claim('second', { agents: ['writer'], limit: 10 }).catch(String)
    const locks = async (): Promise<unknown> =>
      (await databases[1].query("select from pg_locks where locktype = 'advisory'")).length
    await expect.poll(claim, { interval: 10 }).toEqual([])
    await expect.poll(locks).toBe(2)
    expect(await claim()).toEqual([])
    expect(await first.write('first', [writeOf(id, { chunks: ['1'] })])).toEqual([true])
    await Promise.all([first.close(), second.close()])
    await Promise.all(databases.map((database) => database.close()))
    await server.stop()
  })

  it('leaves the runs of a process to it while all processes reconnect', async () => {
    const url = (await postgres?.url()) ?? ''
    const databases = [openDatabase(url), openDatabase(url)] as const
    const [first, second] = databases.map((database) => postgresRuns({ database, log: silent })) as RunStore[] as [
      RunStore,
      RunStore,
    ]
    const onNews = vi.fn<(run: string | null) => void>()
    await first.join('first', () => {})
    await second.join('second', onNews)
    await first.create(newRun({ process: 'first' }))
    await databases[0].query(TERMINATE_LISTENERS)
    await expect.poll(() => onNews.mock.calls).toContainEqual([null])
    await databases[0].query('update sdk_run_processes set until = now()')
    expect(await second.claim('second', { agents: ['writer'], limit: 10 })).toEqual([])
    await Promise.all([first.close(), second.close()])
    await Promise.all(databases.map((database) => database.close()))
  })
})
