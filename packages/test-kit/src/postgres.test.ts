import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { startPostgres } from './postgres.ts'
import { hasPostgres } from './programs.ts'
import { createDatabase } from './shared-postgres.ts'

describe.skipIf(!hasPostgres())('startPostgres', () => {
  it('keeps committed data after a kill and a restart', async () => {
    const postgres = await startPostgres()
    await query(postgres.url, 'create table note (text text)')
    await query(postgres.url, "insert into note values ('kept')")

    await postgres.kill()
    await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED')

    await postgres.start()
    expect(await query(postgres.url, 'select text from note')).toEqual([{ text: 'kept' }])
    await postgres.stop()
  })
})

describe.skipIf(!hasPostgres())('createDatabase', () => {
  it('creates a separate empty database for each call', async () => {
    const [one, two] = await Promise.all([createDatabase(), createDatabase()])
    await query(one, 'create table note (text text)')
    await expect(query(two, 'select * from note')).rejects.toThrow('does not exist')
  })
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
