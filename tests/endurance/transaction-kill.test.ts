import { join } from 'node:path'
import { openDatabase } from '@sdk/database'
import { createDatabase, spawnNode, temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import type { RowStoreKind } from './transaction-program.ts'

const folder = temporaryFolder('transaction-kill')
afterAll(() => folder.remove())

const URLS: Record<RowStoreKind, () => Promise<string>> = {
  PGlite: async () => `pglite://${join(folder.path, 'data')}`,
  PostgreSQL: () => createDatabase(),
  Drizzle: () => createDatabase(),
}

/** users-kill.test.ts kills PGlite in a transaction too, so the short form leaves it out here. */
const KINDS = Object.entries(URLS).filter(([kind]) => choose(true, kind !== 'PGlite'))

describe.each(KINDS)('ctx.transaction of a process that is killed: %s', (kind, createUrl) => {
  it('leaves nothing half done, and no lock', async () => {
    const url = await createUrl()
    const running = await spawnNode({
      file: join(import.meta.dirname, 'transaction-program.ts'),
      args: [kind, url],
      ready: /between the rows/,
    })
    expect(running.output()).toContain('ordered whole: 200, heard created whole, created whole')
    // The changes of the second one were not reported.
    expect(running.output()).toContain('between the rows 2')
    expect(await running.kill()).toMatchObject({ signal: 'SIGKILL' })

    const database = openDatabase(url)
    const titles = async (name: string): Promise<unknown> => database.query(`select title, notes from ${name}`)
    expect(await titles('orders')).toEqual([{ title: 'whole', notes: 'by SQL' }])
    expect(await titles('items')).toEqual([{ title: 'whole', notes: null }])
    await expect.poll(() => database.query(`update orders set title = 'free' returning title`)).toHaveLength(1)
    await database.close()
  })
})
