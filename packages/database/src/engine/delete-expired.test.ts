import { createDatabase, hasPostgres } from '@sdk/test-kit'
import { createLog, type Engine } from '@sdk/server'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../database.ts'
import { openDatabase } from '../open-database.ts'
import { postgresEngine } from './postgres-engine.ts'

/** More than one statement deletes. */
const STREAMS = 1_100

const silent = createLog({ write: () => {} })

describe.skipIf(!hasPostgres())('deleting expired rows', () => {
  let url: string
  let database: Database
  let engine: Engine | undefined

  beforeAll(async () => {
    url = await createDatabase()
    database = openDatabase(url)
  })

  afterEach(async () => {
    vi.useRealTimers()
    await engine?.close()
  })

  afterAll(() => database.close())

  it('deletes the messages of all idle streams', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { publish } = (engine = postgresEngine(url, { keepFor: 0, log: silent }))
    await Promise.all(Array.from({ length: STREAMS }, (_, number) => publish(`user:${number}`, 'hello')))
    expect(await countRows()).toEqual({ streams: STREAMS, messages: STREAMS })
    vi.advanceTimersByTime(90_000)
    await expect.poll(countRows).toEqual({ streams: STREAMS, messages: 0 })

    // Without a process, messages may be older than a day.
    await Promise.all(Array.from({ length: STREAMS }, (_, number) => publish(`user:${number}`, 'hello')))
    await database.query(`update sdk_engine_streams set at = at - interval '25 hours'`)
    vi.advanceTimersByTime(90_000)
    await expect.poll(countRows).toEqual({ streams: 0, messages: 0 })
  })

  async function countRows() {
    const [row] = await database.query(`select (select count(*)::int from sdk_engine_streams) as streams,
      (select count(*)::int from sdk_engine_messages) as messages`)
    return row
  }
})
