import { openDatabase, postgresRuns, type Database } from '@sdk/database'
import { memoryRuns, type RunStore } from '@sdk/server'
import { DATABASE_KINDS } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silent } from './opened-engines.ts'
import { newRun, runContract, writeOf } from './run-contract.ts'

async function joined(store: RunStore): Promise<RunStore> {
  await store.ready()
  await store.join('a', () => {})
  await store.join('b', () => {})
  return store
}

describe('memoryRuns', () => {
  runContract(() => joined(memoryRuns()))
})

describe.each(DATABASE_KINDS.filter(({ isHere }) => isHere))('postgresRuns on $kind', ({ open }) => {
  let database: Database
  const stores: RunStore[] = []
  const openStore = (lease?: number): RunStore => {
    const store = postgresRuns({ database, log: silent, ...(lease !== undefined && { lease }) })
    stores.push(store)
    return store
  }
  beforeEach(async () => {
    database = await open(openDatabase)
  })
  afterEach(async () => {
    for (const process of ['a', 'b', 'c']) await stores[0]?.leave(process)
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await database.close()
  })

  runContract(() => joined(openStore()))

  it('creates the tables once when several processes start', async () => {
    await Promise.all(Array.from({ length: 8 }, () => openStore().ready()))
    const { id } = newRun()
    await openStore().create(newRun({ id }))
    expect(await openStore().get(id)).toMatchObject({ id })
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

  it('takes over the runs of a process whose connection ends, and of one whose lease expires', async () => {
    const url = (await postgres?.url()) ?? ''
    const [one, two] = [openDatabase(url), openDatabase(url)]
    const [first, second] = [
      postgresRuns({ database: one, log: silent, lease: 1 }),
      postgresRuns({ database: two, log: silent }),
    ]
    await first.join('first', () => {})
    await second.join('second', () => {})
    const [lost, expired] = [newRun({ process: 'first' }), newRun({ process: 'first' })]
    await first.create(expired)
    const claim = async (): Promise<string[]> =>
      (await second.claim('second', { agents: ['writer'], limit: 10 })).map(({ id }) => id)
    expect(await claim()).toEqual([])
    // The connection is open, but the lease is not renewed.
    await expect.poll(claim, { timeout: 5_000 }).toEqual([expired.id])
    await first.renew('first')
    await first.create(lost)
    expect(await claim()).toEqual([])
    await first.close()
    await expect.poll(claim).toEqual([lost.id])
    await second.close()
    await Promise.all([one.close(), two.close()])
  })
})
