import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../database.ts'
import { openDatabase } from '../open-database.ts'
import { postgresRuns } from './postgres-runs.ts'
import { DELETIONS, FIND_UNKNOWN } from './sweep-sql.ts'

describe.skipIf(!hasPostgres())('the statements of a sweep', () => {
  let database: Database

  beforeAll(async () => {
    database = openDatabase(await createDatabase())
    await postgresRuns({ database }).ready()
    await database.query(`insert into sdk_runs (id, agent, print, address, is_stream, keep_for, status, epoch, ended_at,
        expires_at)
      select number, 'writer', '', '', false, 1, 'done', 1, now(), now() + interval '7 days'
      from generate_series(1, 5000) as number`)
    await database.query(`insert into sdk_threads (agent, user_id, thread)
      select 'writer', 'ada', number from generate_series(1, 5000) as number`)
    await database.query('analyze')
  })

  afterAll(() => database.close())

  it.each([...DELETIONS, FIND_UNKNOWN.replace('$1', `'{writer}'`)])(
    'do not read all runs and threads: %s',
    async (text) => {
      const plan = JSON.stringify(await database.query(`explain ${text}`))
      expect(plan).not.toMatch(/Seq Scan on sdk_(?:runs|threads)/)
    },
  )
})
